import { EXPORT_FORMATS, type ExportFormat } from '../../domain/report/export-formats.ts'
import type { AnyExporter, ExportOptions, Output } from '../../domain/report/exporter.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { contentTag, MAX_UNSPLIT_CHARACTERS, PART_CHARACTERS, type AnswerPart, type AnswerPosition } from '../parts.ts'
import { countPassedBytes } from './passed-memory.ts'
import type { DocumentReader } from '../runs/documents.ts'
import type { RunAdded } from '../runs/annotations.ts'
import { listExportedComments } from '../runs/comments.ts'
import { findRun, type Run } from '../runs/run.ts'
import { READ_AHEAD_BYTES, readBatch, WALK_START, type WalkPosition } from './case-walk.ts'
import { readFlakyCases, readRunHead } from './export-head.ts'

// A run in another format, in parts. `runtime/` passes the exporters in: they know formats and no database.

export type Exporters = Readonly<Record<ExportFormat, AnyExporter>>

export type ExportRequest = {
  readonly run_id: string
  /** The digest of the document whose ETag the response has. */
  readonly document_sha256: string
  /** What was added to the run when the response began; null for nothing. */
  readonly added: RunAdded | null
  /** The ids of the comments that the export has. */
  readonly comment_ids: readonly string[]
  readonly format: ExportFormat
  readonly options: ExportOptions
}

/** The position in an export. */
type ExportPosition = {
  readonly run_no: number
  readonly state: unknown
  readonly walk: WalkPosition
  /** Whether `addFlaky` is still to be called. */
  readonly needsFlaky: boolean
}

type Context = {
  readonly reader: Reader
  readonly documents: DocumentReader
  readonly viewer: Viewer
  readonly exporters: Exporters
}

/** Bytes of the document that one part reads. The first part reads fewer, so that the response begins early. */
const MAX_PART_READ_BYTES = 2 * 1024 * 1024
const MAX_FIRST_READ_BYTES = 128 * 1024

/**
 * Memory that a position takes: the places of the next cases, names of columns, a bit for each case, or what the end of a
 * file says of its parts.
 */
const MEMORY_BYTES = 512 * 1024

/**
 * The ETag of an export: it depends on the document, its hidden cases, what was added to the run, its comments, the options and the
 * version of the exporter alone.
 */
export const exportTag = (
  { format, options, document_sha256, added, comment_ids }: Omit<ExportRequest, 'run_id'>,
  { hidden_cases }: Pick<Run, 'hidden_cases'>,
): string => {
  const version = [format, EXPORT_FORMATS[format].version, options.bom, options.raw]
  // The same document may have been recorded by an earlier version, which knew no hidden cases.
  const facts = hidden_cases === null ? version : [...version, hidden_cases]
  const more = [...(added ? [JSON.stringify(added)] : []), ...comment_ids]
  return contentTag('export', [...facts, ...more], [document_sha256])
}

const begin = async (
  { reader, documents, exporters }: Context,
  { format, options, added, comment_ids }: ExportRequest,
  run: Run,
): Promise<{ readonly position: ExportPosition; readonly output: Output }> => {
  const exporter = exporters[format]
  const head = {
    run: await readRunHead(reader, documents, run),
    created_at: run.created_at,
    hidden_cases: run.hidden_cases ?? 0,
    added,
    comments: comment_ids.length === 0 ? [] : await listExportedComments(reader, run.run_no, new Set(comment_ids)),
  }
  const { output, state } = exporter.begin(head, options)
  return {
    position: { run_no: run.run_no, state, walk: WALK_START, needsFlaky: exporter.addFlaky !== undefined },
    output,
  }
}

/**
 * The next part of an export; null if the run is unknown, hidden, deleted, or replaced by another meanwhile. Before the
 * last part, the whole document is compared with its recorded digest: throws `DocumentDamaged` if it differs, so that no
 * client receives an altered run completely.
 */
export const exportRun = async (
  context: Context,
  request: ExportRequest,
  resumed: AnswerPosition | null,
): Promise<Uint8Array | AnswerPart | null> => {
  const { reader, documents, viewer, exporters } = context
  const run = await reader.read(findRun(viewer, request.run_id))
  if (!run || run.document_sha256 !== request.document_sha256) return null
  const exporter = exporters[request.format]
  const output = outputList()
  const started = resumed ? null : await begin(context, request, run)
  let position = started?.position ?? (resumed?.next as ExportPosition)
  if (position.run_no !== run.run_no) return null
  output.add(started?.output ?? [])

  const etag = exportTag(request, run)
  const memoryBytes = MEMORY_BYTES + (exporter.order === 'provider' ? READ_AHEAD_BYTES : 0)
  const rest = (next: ExportPosition): AnswerPart => ({ text: output.bytes(), etag, memoryBytes, next })
  const isLong = run.document_bytes > MAX_UNSPLIT_CHARACTERS
  // A long file begins with what is known before its cases.
  if (started && isLong && output.length() > 0) return rest(position)
  if (position.needsFlaky && exporter.addFlaky)
    position = {
      ...position,
      state: exporter.addFlaky(position.state, await readFlakyCases(reader, run)),
      needsFlaky: false,
    }

  for (let readBytes = 0; ;) {
    let isOpen = false
    const batch = await readBatch(reader, documents, run, exporter, position.walk)
    if (batch) {
      const step = exporter.add(position.state, batch.cases)
      const before = output.length()
      output.add(step.output)
      position = { ...position, state: step.state, walk: batch.next }
      isOpen = step.isOpen ?? false
      readBytes += batch.bytes
      countPassedBytes(batch.bytes + output.length() - before)
    } else {
      const ended = exporter.end(position.state)
      if (!ended.again) await documents.check(run, countPassedBytes)
      output.add(ended.output)
      if (!ended.again) return resumed ? { text: output.bytes(), etag, memoryBytes, next: null } : output.bytes()
      position = { ...position, state: ended.state, walk: WALK_START }
    }
    const isFull = resumed
      ? output.length() >= PART_CHARACTERS || readBytes >= MAX_PART_READ_BYTES
      : isLong && readBytes >= MAX_FIRST_READ_BYTES
    if (isFull && !isOpen) return rest(position)
  }
}

/** Collects the bytes of a part. */
const outputList = () => {
  const pieces: Uint8Array[] = []
  let length = 0
  const encoder = new TextEncoder()
  return {
    add: (output: Output): void => {
      const add = (bytes: Uint8Array): void => {
        pieces.push(bytes)
        length += bytes.length
      }
      // The texts of a batch are encoded together: a buffer for each case takes more time and memory.
      let texts: string[] = []
      const addTexts = (): void => {
        if (texts.length > 0) add(encoder.encode(texts.join('')))
        texts = []
      }
      for (const piece of output)
        if (typeof piece === 'string') texts.push(piece)
        else {
          addTexts()
          add(piece)
        }
      addTexts()
    },
    length: () => length,
    /** In a buffer of its own, which can be transferred to another thread. */
    bytes: (): Uint8Array => {
      const all = new Uint8Array(length)
      let at = 0
      for (const piece of pieces) {
        all.set(piece, at)
        at += piece.length
      }
      return all
    },
  }
}
