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
import { dirname, join, relative } from 'node:path'
import { MAX_PART_BYTES, type PartRole } from '../../../domain/evidence/manifest.ts'
import { moveToParts } from '../../../domain/evidence/move-to-parts.ts'
import type { Json } from '../../../domain/run/readers.ts'
import type { Source, SourceRun } from '../../importers/importer.ts'
import type { SourceFile } from '../../read/source-file.ts'
import type { CaseDraft } from '../case/case-draft.ts'
import type { CaseDocument } from '../case/case-document.ts'
import { sha256 } from '../identity.ts'
import { WHOLE_CASE } from '../case/fitting.ts'
import { isKnown } from '../known.ts'
import type { Losses } from '../losses.ts'
import { SourceRefused } from '../source-refused.ts'
import type { CaseEvidence, EvidenceFile, EvidenceOptions, TranscriptLine } from './case-evidence.ts'
import { fileReferences } from './file-references.ts'
import { copyOf, fileReader, JSON_TYPE, shortenedLine, typeOfName, type CaseParts } from './case-parts.ts'

/** The evidence of a run: the digest of its manifest, and all parts, the manifest among them. */
export type RunEvidence = {
  readonly manifest: string
  readonly files: readonly EvidenceFile[]
  /** Has the files that are no originals. It is to be removed when they are sent. */
  readonly folder: string
}

/** Maximum bytes of a line of a transcript; of a longer one, each member beyond 64 KiB is a part. */
const MAX_LINE_BYTES = 16 * 1024 * 1024
const WRITE_BYTES = 1024 * 1024

// The limits of a manifest, with room for the originals.
const MAX_ENTRIES = 99_000
const MAX_MANIFEST_BYTES = 60 * 1024 * 1024
const MAX_CASE_PARTS = 1000
const MAX_NAME_BYTES = 400
const MAX_PATH_BYTES = 4096

/** A media type that a manifest takes; a source may say anything. */
const MEDIA_TYPE = /^[a-z]{1,20}\/[\w.+-]{1,80}(?:; ?[\w-]{1,20}=[\w."+-]{1,40})?$/i

const JSON_LINES = 'application/x-ndjson'

/** Texts of Markdown with pictures that a document keeps as they are: the page draws them from the text. */
const MAX_PICTURES = 16 * 1024 * 1024
/** Members that no page shows as Markdown. */
const HIDDEN_MEMBERS: ReadonlySet<string> = new Set(['request', 'raw'])

/** What the media in a member of a case are of. */
const MEMBER_ROLES: ReadonlyArray<readonly [string, Exclude<PartRole, 'original'>]> = [
  ['vars', 'input'],
  ['prompt', 'input'],
  ['request', 'input'],
  ['output', 'output'],
  ['tool_calls', 'output'],
  ['raw', 'other'],
  ['asserts', 'grading'],
]

/**
 * Whether the file of a run is kept. That of one of several runs is not, and so no database: it has the others too, of which
 * some may be hidden, or erased later.
 */
export const keepsOriginal = (
  { hasOriginal }: EvidenceOptions,
  { file, look }: Source,
  { part = null, isAlone = part === null }: Pick<SourceRun, 'part' | 'isAlone'>,
): boolean => hasOriginal && isAlone && originalIn(file) !== null && look.kind !== 'sqlite'

/** Where the bytes of a source are on disk, as they came; null if they are not. */
const originalIn = ({ diskPath, originalPath = null }: SourceFile): string | null => originalPath ?? diskPath

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
export const collectEvidence = (
  {
    folder: parent,
    hasOthers,
    files: filesFolder,
    maxPartBytes = MAX_PART_BYTES,
    maxBytes = Number.MAX_SAFE_INTEGER,
  }: EvidenceOptions,
  losses: Losses,
  source: SourceFile | null = null,
) => {
  const folder = mkdtempSync(join(parent, 'run-'))
  const sourceFolder = isKnown(source?.diskPath) ? [dirname(source.diskPath)] : null
  const entries: Entry[] = []
  let manifestBytes = 0
  let pictures = 0
  const takePictures = (length: number): boolean => {
    if (pictures + length > MAX_PICTURES) return false
    pictures += length
    return true
  }
  const files = new Map<string, EvidenceFile>()
  const ofCases = new Map<string, Set<string>>()
  let usedBytes = 0
  /** Files that were copied, by their paths; null for one that cannot be. */
  const copies = new Map<string, EvidenceFile | null>()

  const addFile = (bytes: Uint8Array, digest = sha256(bytes)): string => {
    if (!files.has(digest)) {
      const path = join(folder, digest)
      writeFileSync(path, bytes)
      usedBytes += bytes.length
      files.set(digest, { sha256: digest, bytes: bytes.length, path })
    }
    return digest
  }
  const addEntry = (entry: Entry): void => {
    entries.push(entry)
    manifestBytes += Buffer.byteLength(JSON.stringify(entry)) + 1
  }

  /** The parts of a case so far, and the way to add one. */
  const partsOf = (case_key: string, name: string, path: string | undefined): CaseParts => {
    const own = ofCases.get(case_key) ?? new Set<string>()
    ofCases.set(case_key, own)
    const of = { case_key, ...(path !== undefined && { from: { path: shortText(path, MAX_PATH_BYTES) } }) }
    // The transcript itself needs a place too.
    const hasRoom = (): boolean =>
      own.size < MAX_CASE_PARTS - 1 && entries.length < MAX_ENTRIES && manifestBytes < MAX_MANIFEST_BYTES
    const enter = (role: PartRole, partName: string, claimed: string, file: EvidenceFile): void => {
      const media_type = MEDIA_TYPE.test(claimed) ? claimed : typeOfName(partName)
      files.set(file.sha256, file)
      own.add(file.sha256)
      const { sha256: digest, bytes } = file
      addEntry({ sha256: digest, bytes, role, name: shortText(partName, MAX_NAME_BYTES), media_type, ...of })
    }
    const add: CaseParts['add'] = (role, partName, media_type, bytes) => {
      const digest = sha256(bytes)
      if (own.has(digest)) return digest
      if (!hasRoom() || bytes.length > Math.min(maxPartBytes, maxBytes - usedBytes)) return null
      addFile(bytes, digest)
      enter(role, partName, media_type, files.get(digest)!)
      return digest
    }
    const addFrom: CaseParts['addFrom'] = (role, partName, media_type, source) => {
      if (!hasRoom()) return null
      // Several messages may show one file.
      const known = copies.get(source)
      const file = known === undefined ? copyOf(source, folder) : known
      copies.set(source, file)
      if (file === null) return null
      if (!own.has(file.sha256)) enter(role, partName, media_type, file)
      return file.sha256
    }
    return { name, has: (digest) => own.has(digest), hasRoom, enter, add, addFrom }
  }

  /** The folders in which the files are that a case names. */
  const foldersOf = (evidence: CaseEvidence | null | undefined): readonly string[] => [
    ...(evidence?.folder ?? sourceFolder ?? []),
    ...(filesFolder === undefined ? [] : [filesFolder]),
  ]

  const addCase = async (case_key: string, evidence: CaseEvidence): Promise<void> => {
    const { path, lossPath, name, transcript, others } = evidence
    const parts = partsOf(case_key, name, path)
    const folders = foldersOf(evidence)
    const move = moveToParts(parts, { withFiles: fileReferences(parts, folders, losses) })
    if (transcript !== null && !parts.hasRoom())
      losses.addBytes('left_out', lossPath, 1, 'a transcript for which a manifest has no place')
    else if (transcript !== null) {
      const room = Math.min(maxPartBytes, maxBytes - usedBytes)
      const lines = transcript(move, losses, fileReader(parts, folders, losses))
      const file = await writeLines(folder, lines, (line) => shortenedLine(line, parts), losses, lossPath, room).catch(
        (error: unknown) => {
          if (!(error instanceof SourceRefused)) throw error
          losses.addBytes('left_out', lossPath, 1, `its events cannot be read: ${error.message}`)
          return null
        },
      )
      if (file !== null) {
        usedBytes += file.bytes
        parts.enter('transcript', name, JSON_LINES, file)
      }
    }
    for (const { name: file, value } of (await others?.(move)) ?? []) {
      const bytes = Buffer.from(JSON.stringify(value))
      if (!hasOthers || parts.add('other', `${name} ${file}.json`, JSON_TYPE, bytes) === null)
        losses.add('left_out', `${lossPath}.${file}`, value)
    }
    for (const { name: file, path: at, role } of evidence.files ?? [])
      if (!hasOthers || parts.addFrom(role, file, typeOfName(file), at) === null)
        losses.addBytes('left_out', `(${file})`, 0, 'a file that is not kept')
  }

  const partsOfDraft = ({ case_key, cell, name }: CaseDocument, { evidence, rest }: CaseDraft): CaseParts =>
    partsOf(case_key, evidence?.name ?? (typeof name === 'string' ? name : cell.test_id), evidence?.path ?? rest?.path)

  /** A case in which pictures and the like are parts. Its texts stay. */
  const withMediaAsParts = (item: CaseDocument, draft: CaseDraft): CaseDocument => {
    const parts = partsOfDraft(item, draft)
    const withFiles = fileReferences(parts, foldersOf(draft.evidence), losses)
    const moving = { movesTexts: false, withFiles }
    const move = moveToParts(parts, { ...moving, keepsPictures: () => false })
    const moveShown = moveToParts(parts, { ...moving, keepsPictures: takePictures })
    const members: Record<string, unknown> = {}
    for (const [key, role] of MEMBER_ROLES)
      if (item[key] !== undefined) members[key] = (HIDDEN_MEMBERS.has(key) ? move : moveShown)(item[key], role)
    return { ...item, ...members }
  }

  /** Keeps a whole case, of which the document has less. Returns false if other parts than transcripts are not kept, or there is no room. */
  const addWhole = (item: CaseDocument, draft: CaseDraft): boolean =>
    hasOthers &&
    partsOfDraft(item, draft).add('other', WHOLE_CASE, JSON_TYPE, Buffer.from(JSON.stringify(item))) !== null

  /** Keeps lines as the original of the run. */
  const addLines = (name: string, lines: Iterable<Json>): void => {
    const file = writeJsonLines(folder, lines)
    if (file.bytes > maxPartBytes) {
      losses.addBytes('left_out', '(the rows)', file.bytes, 'too large for a part')
      return
    }
    files.set(file.sha256, file)
    addEntry({
      sha256: file.sha256,
      bytes: file.bytes,
      role: 'original',
      name: shortText(name, MAX_NAME_BYTES),
      media_type: JSON_LINES,
    })
    losses.addBytes(
      'original_only',
      '(the source file)',
      0,
      'its rows of this run are kept as JSON lines, not byte for byte',
    )
  }

  /** Adds the source files, the one of the cases first, and the manifest. Null if there is no evidence. */
  const finish = async (originals: readonly SourceFile[]): Promise<RunEvidence | null> => {
    const kept: Array<EvidenceFile & { readonly shown: string }> = []
    for (const file of originals) {
      const original = await originalOf(file)
      kept.push({ ...original, shown: originalIn(file) === file.originalPath ? file.path : original.path })
    }
    const source = kept[0] ? { sha256: kept[0].sha256 } : {}
    const top = dirname(kept[0]?.shown ?? '')
    const parts: object[] = entries.map((entry) => ({ ...entry, from: { ...source, ...entry.from } }))
    for (const file of kept) {
      const { sha256: digest, bytes, shown } = file
      if (bytes > maxPartBytes) {
        losses.addBytes('left_out', '(the source file)', 0, `too large: a part has at most ${maxPartBytes} bytes here`)
        continue
      }
      files.set(digest, file)
      parts.push({ sha256: digest, bytes, role: 'original', name: shortText(relative(top, shown), MAX_NAME_BYTES) })
    }
    if (parts.length === 0) return null
    const manifest = addFile(Buffer.from(JSON.stringify({ evidence: 1, parts })))
    return { manifest, files: [...files.values()], folder }
  }

  let isReleased = false
  return {
    addCase,
    withMediaAsParts,
    addWhole,
    addLines,
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
  maxBytes: number,
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
      if (bytes > maxBytes) throw new SourceRefused(`a transcript has room for ${maxBytes} bytes here`)
      if (waitingBytes > WRITE_BYTES) flush()
    }
    flush()
  } catch (error) {
    rmSync(unnamed)
    throw error
  } finally {
    closeSync(file)
  }
  const digest = hash.digest('hex')
  renameSync(unnamed, join(folder, digest))
  return { sha256: digest, bytes, path: join(folder, digest) }
}

/** Writes values, one a line, to a file whose name is its digest. */
const writeJsonLines = (folder: string, lines: Iterable<Json>): EvidenceFile => {
  const hash = createHash('sha256')
  const unnamed = join(folder, 'lines')
  const file = openSync(unnamed, 'w')
  let bytes = 0
  try {
    for (const value of lines) {
      const line = Buffer.from(`${JSON.stringify(value)}\n`)
      hash.update(line)
      writeFileSync(file, line)
      bytes += line.length
    }
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

const digestOf = async (file: SourceFile): Promise<EvidenceFile> => {
  const { size, mtimeMs } = file
  const path = originalIn(file) ?? ''
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(path, { highWaterMark: WRITE_BYTES })) {
    hash.update(chunk as Buffer)
    bytes += (chunk as Buffer).length
  }
  const isSame = bytes === size && (mtimeMs === null || statSync(path).mtimeMs === mtimeMs)
  if (!isSame) throw new SourceRefused('changed while it was imported')
  return { sha256: hash.digest('hex'), bytes, path }
}
