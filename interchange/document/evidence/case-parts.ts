import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { MAX_PART_BYTES, type PartRole } from '../../../domain/evidence/manifest.ts'
import type { PartsOfCase } from '../../../domain/evidence/move-to-parts.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { openReferenced, referencedFile } from '../../read/referenced-file.ts'
import type { Losses } from '../losses.ts'
import type { EvidenceFile, ReadFile, TranscriptLine } from './case-evidence.ts'

/** The parts of one case, and more ways to add one. */
export type CaseParts = PartsOfCase & {
  readonly hasRoom: () => boolean
  /** Adds a file of the folder of parts, whether there is room or not. */
  readonly enter: (role: PartRole, name: string, mediaType: string, file: EvidenceFile) => void
  /** Adds a copy of a file; null also for a file that cannot be read, or is too large. */
  readonly addFrom: (role: PartRole, name: string, mediaType: string, path: string) => string | null
}

/** A member beyond this is a part of its own, in a line that is too long. */
const MAX_MEMBER_BYTES = 64 * 1024
const COPY_BYTES = 1024 * 1024

export const JSON_TYPE = 'application/json'

/** A line without the members that make it too long, which become parts. Null if they cannot. */
export const shortenedLine = (line: TranscriptLine, parts: CaseParts): TranscriptLine | null => {
  const members: Record<string, Json | undefined> = { ...line }
  for (const [key, value] of Object.entries(line)) {
    const bytes = Buffer.from(JSON.stringify(value ?? null))
    if (bytes.length <= MAX_MEMBER_BYTES) continue
    const digest = parts.add('other', `${parts.name} ${key}`, JSON_TYPE, bytes)
    if (digest === null) return null
    members[key] = `part:${digest}`
  }
  return members
}

/** Reads files to which a source refers, from these folders. */
export const fileReader =
  (parts: CaseParts, folders: readonly string[], losses: Losses): ReadFile =>
  (reference, role, mediaType, path) => {
    // Its bytes are in the source itself.
    if (/^data:/i.test(reference)) return null
    const found = referencedFile(reference, folders)
    if ('why' in found) {
      losses.addBytes('left_out', path, 0, found.why)
      return null
    }
    const name = basename(found.path)
    const digest = parts.addFrom(role, name, mediaType ?? typeOfName(name), found.path)
    if (digest === null)
      losses.addBytes('left_out', path, 0, 'a file that cannot be read, is too large, or finds no room')
    return digest
  }

const TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.wav': 'audio/wav',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.json': JSON_TYPE,
  '.txt': 'text/plain; charset=utf-8',
  '.log': 'text/plain; charset=utf-8',
}

/** The media type that the name of a file says. The bytes decide when it is served. */
export const typeOfName = (name: string): string => TYPES[extname(name).toLowerCase()] ?? 'application/octet-stream'

/** Copies a file into the folder of parts, under its digest; null for one that cannot be opened, or is too large. */
export const copyOf = (path: string, folder: string): EvidenceFile | null => {
  const unnamed = join(folder, 'copy')
  const source = openReferenced(path)
  if (source === null) return null
  if (fstatSync(source).size > MAX_PART_BYTES) {
    closeSync(source)
    return null
  }
  const target = openSync(unnamed, 'w')
  const hash = createHash('sha256')
  let bytes = 0
  try {
    const chunk = Buffer.allocUnsafe(COPY_BYTES)
    for (let count = -1; count !== 0 && bytes <= MAX_PART_BYTES; bytes += count) {
      count = readSync(source, chunk, 0, COPY_BYTES, null)
      hash.update(chunk.subarray(0, count))
      for (let written = 0; written < count;) written += writeSync(target, chunk, written, count - written)
    }
  } finally {
    closeSync(source)
    closeSync(target)
  }
  if (bytes > MAX_PART_BYTES) {
    rmSync(unnamed)
    return null
  }
  const digest = hash.digest('hex')
  renameSync(unnamed, join(folder, digest))
  return { sha256: digest, bytes, path: join(folder, digest) }
}
