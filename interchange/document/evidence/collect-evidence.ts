import { createHash } from 'node:crypto'
import {
  closeSync,
  createReadStream,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { MAX_PART_BYTES, type PartRole } from '../../../domain/evidence/manifest.ts'
import { isRawNumber } from '../../../domain/run/canonical-json.ts'
import type { Json } from '../../../domain/run/readers.ts'
import type { Source } from '../../importers/importer.ts'
import { isObject } from '../../read/row.ts'
import type { SourceFile } from '../../read/source-file.ts'
import { sha256 } from '../identity.ts'
import type { Losses } from '../losses.ts'
import { SourceRefused } from '../source-refused.ts'
import type { CaseEvidence, EvidenceOptions, MoveToParts, TranscriptLine } from './case-evidence.ts'

/** A file with the bytes of a part. */
export type EvidenceFile = { readonly sha256: string; readonly bytes: number; readonly path: string }

/** The evidence of a run: the digest of its manifest, and all parts, the manifest among them. */
export type RunEvidence = {
  readonly manifest: string
  readonly files: readonly EvidenceFile[]
  /** Has the files that are no originals. It is to be removed when they are sent. */
  readonly folder: string
}

/** A text beyond this is a part of its own. */
const MAX_TEXT_BYTES = 64 * 1024
/** Texts that one line has in the place of references to them; further ones are parts. */
const MAX_RESOLVED_BYTES = 4 * 1024 * 1024
/** Maximum bytes of a line of a transcript; of a longer one, each member beyond 64 KiB is a part. */
const MAX_LINE_BYTES = 16 * 1024 * 1024
const WRITE_BYTES = 1024 * 1024

// The limits of a manifest, with room for the originals.
const MAX_ENTRIES = 99_000
const MAX_MANIFEST_BYTES = 60 * 1024 * 1024
const MAX_CASE_PARTS = 1000
const MAX_NAME_BYTES = 400
const MAX_PATH_BYTES = 4096

const DATA_URL = /^data:([a-z]{1,30}\/[\w.+-]{1,60});base64,/i

const JSON_LINES = 'application/x-ndjson'
const JSON_TYPE = 'application/json'

/**
 * Whether the file of a run is kept. That of one of several runs is not, and so no database: it has the others too, of which
 * some may be hidden, or erased later. `part` names the run in the file; null if the file is one run.
 */
export const keepsOriginal = ({ hasOriginal }: EvidenceOptions, { file, look }: Source, part: string | null): boolean =>
  hasOriginal && part === null && file.diskPath !== null && look.kind !== 'sqlite'

/** An entry of a manifest, as it is written. */
type Entry = {
  readonly sha256: string
  readonly bytes: number
  readonly role: PartRole
  readonly case_key?: string
  readonly name: string
  readonly media_type?: string
  readonly from?: { readonly path: string }
}

/**
 * Collects the evidence of one run. The same source gives the same parts. `losses` records what is not kept. Its files are
 * removed at the end of the block, unless they are released.
 */
export const collectEvidence = ({ folder: parent, hasOthers }: EvidenceOptions, losses: Losses) => {
  const folder = mkdtempSync(join(parent, 'run-'))
  const entries: Entry[] = []
  let manifestBytes = 0
  const files = new Map<string, EvidenceFile>()
  const ofCases = new Map<string, Set<string>>()

  const addFile = (bytes: Uint8Array, digest = sha256(bytes)): string => {
    if (!files.has(digest)) {
      const path = join(folder, digest)
      writeFileSync(path, bytes)
      files.set(digest, { sha256: digest, bytes: bytes.length, path })
    }
    return digest
  }
  const addEntry = (entry: Entry): void => {
    entries.push(entry)
    manifestBytes += Buffer.byteLength(JSON.stringify(entry)) + 1
  }

  const addCase = async (case_key: string, evidence: CaseEvidence): Promise<void> => {
    const { path, lossPath, name, transcript, others } = evidence
    const own = ofCases.get(case_key) ?? new Set<string>()
    ofCases.set(case_key, own)
    const of = { case_key, from: { path: shortText(path, MAX_PATH_BYTES) } }
    // The transcript itself needs a place too.
    const hasRoom = (): boolean =>
      own.size < MAX_CASE_PARTS - 1 && entries.length < MAX_ENTRIES && manifestBytes < MAX_MANIFEST_BYTES
    /** Adds a part of the case, once. Null if there is no room for it. */
    const addPart = (role: PartRole, partName: string, media_type: string, bytes: Uint8Array): string | null => {
      const digest = sha256(bytes)
      if (own.has(digest)) return digest
      if (!hasRoom()) return null
      addFile(bytes, digest)
      own.add(digest)
      addEntry({
        sha256: digest,
        bytes: bytes.length,
        role,
        name: shortText(partName, MAX_NAME_BYTES),
        media_type,
        ...of,
      })
      return digest
    }
    /** The bytes of a data URL with its type; null for a text that would not be the same again. */
    const dataOf = (text: string): { readonly type: string; readonly bytes: Buffer } | null => {
      const [start, type] = DATA_URL.exec(text.slice(0, 120)) ?? []
      if (start === undefined || type === undefined) return null
      const bytes = Buffer.from(text.slice(start.length), 'base64')
      return `${start}${bytes.toString('base64')}` === text ? { type, bytes } : null
    }
    const moveText = (text: string, role: PartRole, mayStay: boolean): string => {
      const data = dataOf(text)
      if (data === null && ((mayStay && Buffer.byteLength(text) <= MAX_TEXT_BYTES) || !text.isWellFormed())) return text
      const digest = data
        ? addPart(role, `${name} ${data.type.split('/')[0]}`, data.type, data.bytes)
        : addPart(role, `${name} text`, 'text/plain; charset=utf-8', Buffer.from(text))
      return digest === null ? text : `part:${digest}`
    }
    /** What stands in the place of a reference, so that a text with many of them is moved once. */
    const moved = new Map<string, string>()
    const move: MoveToParts = (whole, role, resolve) => {
      let resolvedBytes = 0
      const moveAny = (value: Json): Json => {
        if (typeof value === 'string') {
          const text = resolve?.(value)
          if (text === undefined) return moveText(value, role, true)
          const known = moved.get(value)
          if (known !== undefined) return known
          resolvedBytes += text.length
          const place = moveText(text, role, resolvedBytes <= MAX_RESOLVED_BYTES)
          if (place !== text) moved.set(value, place)
          return place
        }
        if (Array.isArray(value)) return (value as Json[]).map(moveAny)
        if (!isObject(value) || isRawNumber(value)) return value
        return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, moveAny(member)]))
      }
      return moveAny(whole)
    }
    /** A line without the members that make it too long, which become parts. Null if they cannot. */
    const shortened = (line: TranscriptLine): TranscriptLine | null => {
      const members: Record<string, Json | undefined> = { ...line }
      for (const [key, value] of Object.entries(line)) {
        const bytes = Buffer.from(JSON.stringify(value ?? null))
        if (bytes.length <= MAX_TEXT_BYTES) continue
        const digest = addPart('other', `${name} ${key}`, JSON_TYPE, bytes)
        if (digest === null) return null
        members[key] = `part:${digest}`
      }
      return members
    }

    if (transcript !== null && !hasRoom())
      losses.addBytes('left_out', lossPath, 1, 'a transcript for which a manifest has no place')
    else if (transcript !== null) {
      const file = await writeLines(folder, transcript(move, losses), shortened, losses, lossPath).catch(
        (error: unknown) => {
          if (!(error instanceof SourceRefused)) throw error
          losses.addBytes('left_out', lossPath, 1, `its events cannot be read: ${error.message}`)
          return null
        },
      )
      if (file !== null && file.bytes > MAX_PART_BYTES)
        losses.addBytes('left_out', lossPath, file.bytes, 'a transcript that is too large for a part')
      else if (file !== null) {
        files.set(file.sha256, file)
        own.add(file.sha256)
        const { sha256: digest, bytes } = file
        const shown = { role: 'transcript', name: shortText(name, MAX_NAME_BYTES), media_type: JSON_LINES } as const
        addEntry({ sha256: digest, bytes, ...shown, ...of })
      }
    }
    for (const { name: file, value } of await others(move)) {
      const bytes = Buffer.from(JSON.stringify(value))
      if (!hasOthers || addPart('other', `${name} ${file}.json`, JSON_TYPE, bytes) === null)
        losses.add('left_out', `${lossPath}.${file}`, value)
    }
  }

  /** Adds the source files, the one of the cases first, and the manifest. Null if there is no evidence. */
  const finish = async (originals: readonly SourceFile[]): Promise<RunEvidence | null> => {
    const kept: EvidenceFile[] = []
    for (const file of originals) kept.push(await originalOf(file))
    const source = kept[0] ? { sha256: kept[0].sha256 } : {}
    const parts: object[] = entries.map((entry) => ({ ...entry, from: { ...source, ...entry.from } }))
    for (const file of kept) {
      const { sha256: digest, bytes, path } = file
      if (bytes > MAX_PART_BYTES) {
        losses.addBytes('left_out', '(the source file)', 0, 'too large for a part')
        continue
      }
      files.set(digest, file)
      parts.push({ sha256: digest, bytes, role: 'original', name: shortText(basename(path), MAX_NAME_BYTES) })
    }
    if (parts.length === 0) return null
    const manifest = addFile(Buffer.from(JSON.stringify({ evidence: 1, parts })))
    return { manifest, files: [...files.values()], folder }
  }

  let isReleased = false
  return {
    addCase,
    finish,
    /** Leaves the files to the caller. */
    release: () => void (isReleased = true),
    [Symbol.dispose]: () => {
      if (!isReleased) removeEvidence({ folder })
    },
  }
}

/** Removes the files of evidence, but not the originals. */
export const removeEvidence = ({ folder }: Pick<RunEvidence, 'folder'>): void =>
  rmSync(folder, { recursive: true, force: true })

/** A text that a manifest takes. */
const shortText = (text: string, maxBytes: number): string => {
  let short = text.slice(0, maxBytes).toWellFormed().replaceAll('\0', '')
  while (Buffer.byteLength(short) > maxBytes) short = short.slice(0, -1)
  return short.toWellFormed()
}

/** Writes the lines of a transcript to a file whose name is its digest. */
const writeLines = async (
  folder: string,
  lines: AsyncIterable<TranscriptLine>,
  shortened: (line: TranscriptLine) => TranscriptLine | null,
  losses: Losses,
  lossPath: string,
): Promise<EvidenceFile> => {
  const hash = createHash('sha256')
  const unnamed = join(folder, 'transcript')
  const file = openSync(unnamed, 'w')
  let [bytes, waiting, waitingBytes]: [number, Buffer[], number] = [0, [], 0]
  const flush = (): void => {
    const block = Buffer.concat(waiting)
    hash.update(block)
    writeFileSync(file, block)
    ;[waiting, waitingBytes] = [[], 0]
  }
  try {
    for await (const found of lines) {
      let line = Buffer.from(`${JSON.stringify(found)}\n`)
      if (line.length > MAX_LINE_BYTES) {
        const shorter = shortened(found)
        if (shorter === null) losses.addBytes('left_out', lossPath, line.length, 'an event of more than 16 MiB')
        const { type, id, parent, at, role } = found
        line = Buffer.from(`${JSON.stringify(shorter ?? { type, id, parent, at, role })}\n`)
      }
      waiting.push(line)
      waitingBytes += line.length
      bytes += line.length
      if (waitingBytes > WRITE_BYTES) flush()
    }
    flush()
  } finally {
    closeSync(file)
  }
  const digest = hash.digest('hex')
  renameSync(unnamed, join(folder, digest))
  return { sha256: digest, bytes, path: join(folder, digest) }
}

/** The digests of source files: one file may have many runs. */
const digests = new WeakMap<SourceFile, Promise<EvidenceFile>>()

/** A source file as a part. Throws `SourceRefused` if it is not the file any more that the import began with. */
const originalOf = (file: SourceFile): Promise<EvidenceFile> => {
  const known = digests.get(file) ?? digestOf(file)
  digests.set(file, known)
  return known
}

const digestOf = async ({ diskPath, size, mtimeMs }: SourceFile): Promise<EvidenceFile> => {
  const path = diskPath ?? ''
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(path, { highWaterMark: WRITE_BYTES })) {
    hash.update(chunk as Buffer)
    bytes += (chunk as Buffer).length
  }
  if (bytes !== size || statSync(path).mtimeMs !== mtimeMs) throw new SourceRefused('changed while it was imported')
  return { sha256: hash.digest('hex'), bytes, path }
}
