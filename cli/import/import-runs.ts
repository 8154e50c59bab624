import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import PQueue from 'p-queue'
import type { ImportJournal } from './journal.ts'
import { MAX_DOCUMENT_BYTES } from './target.ts'
import type { ImportTarget, Outcome } from './target.ts'
import type { Progress } from '../terminal/progress.ts'
import type { RunFile } from './run-files.ts'
import { splitLines } from './split-lines.ts'

/** The number of documents by outcome. `skipped` documents were in the journal. */
export type ImportCounts = { imported: number; already_there: number; refused: number; failed: number; skipped: number }
export type NotImported = Extract<Outcome, { kind: 'refused' | 'failed' }>

export type ImportOptions = {
  readonly journal: ImportJournal
  readonly concurrency: number
  /** After an abort, the documents in flight are finished and no further one is read. */
  readonly signal: AbortSignal
  readonly onNotImported: (path: string, line: number | null, outcome: NotImported) => void
  /** Called for each document that was sent, or could not be. */
  readonly onOutcome?: (path: string, line: number | null, outcome: Outcome) => void
  readonly onProgress: (progress: Omit<Progress, 'seconds'>) => void
}

/**
 * A document to send. `line` is null if the document is the whole file. `weight` is its share of the bytes of all
 * files, `bytes` its approximate size in memory.
 */
type Document = {
  readonly file: RunFile
  readonly line: number | null
  readonly weight: number
  readonly bytes: number
  readonly read: () => Promise<Uint8Array | NotImported>
}

/** Maximum bytes of all documents in flight. */
const MAX_IN_FLIGHT_BYTES = 64 * 1024 * 1024

/** Assumed ratio of a document's uncompressed size to its gzipped size. */
const GZIP_RATIO = 8

/**
 * Sends every document of the files, `concurrency` at a time, and never reads far ahead. The first document is sent
 * alone, so that a problem with the target is reported once. A rejected or failed document does not stop the import. An
 * error thrown by the target stops it after the documents in flight are finished.
 */
export const importRuns = async (
  files: readonly RunFile[],
  target: ImportTarget,
  options: ImportOptions,
): Promise<ImportCounts> => {
  const { journal, concurrency, signal, onNotImported, onOutcome, onProgress } = options
  const counts: ImportCounts = { imported: 0, already_there: 0, refused: 0, failed: 0, skipped: 0 }
  const queue = new PQueue({ concurrency })
  const totalBytes = files.reduce((sum, { size }) => sum + size, 0)
  const total = files.some(({ lines }) => lines) ? null : files.length
  const failures: unknown[] = []
  const isStopped = () => signal.aborted || failures.length > 0
  let weight = 0
  let hasOutcome = false

  const finish = (
    document: Pick<Document, 'file' | 'line' | 'weight'>,
    outcome: Outcome | { readonly kind: 'skipped' },
  ) => {
    counts[outcome.kind] += 1
    weight += document.weight
    if ('status' in outcome) onNotImported(document.file.path, document.line, outcome)
    if (outcome.kind !== 'skipped') onOutcome?.(document.file.path, document.line, outcome)
    const { imported, already_there, refused, failed, skipped } = counts
    onProgress({
      done: imported + already_there + refused + failed + skipped,
      total,
      share: totalBytes > 0 ? weight / totalBytes : 1,
    })
  }

  const sendDocument = async (document: Document) => {
    if (isStopped()) return
    try {
      const bytes = await document.read()
      const outcome =
        'kind' in bytes ? bytes : await target.send({ bytes, gzip: document.file.gzip && document.line === null })
      hasOutcome ||= !('kind' in bytes)
      if (!('status' in outcome)) await journal.add(document.file, document.line)
      finish(document, outcome)
    } catch (error) {
      failures.push(error)
    }
  }

  let inFlightBytes = 0
  let released = Promise.withResolvers<void>()
  const release = ({ bytes }: Document) => {
    inFlightBytes -= bytes
    released.resolve()
    released = Promise.withResolvers()
  }

  const enqueue = async (document: Document) => {
    if (journal.has(document.file, document.line)) return finish(document, { kind: 'skipped' })
    await queue.onSizeLessThan(1)
    // A document larger than the limit is sent alone.
    while (inFlightBytes > 0 && inFlightBytes + document.bytes > MAX_IN_FLIGHT_BYTES) await released.promise
    inFlightBytes += document.bytes
    const done = queue.add(() => sendDocument(document)).finally(() => release(document))
    if (!hasOutcome) await done
  }

  for (const file of files) {
    if (isStopped()) break
    try {
      for await (const document of documentsOf(file)) {
        if (isStopped()) break
        await enqueue(document)
      }
    } catch (error) {
      finish({ file, line: null, weight: 0 }, unreadable(error))
    }
  }
  await queue.onIdle()
  if (failures.length > 0) throw new ImportStopped(counts, failures[0])
  return counts
}

/** The import stopped because the target threw `cause`. `counts` holds the results so far. */
export class ImportStopped extends Error {
  override readonly name = 'ImportStopped'
  readonly counts: ImportCounts

  constructor(counts: ImportCounts, cause: unknown) {
    super('the import stopped', { cause })
    this.counts = counts
  }
}

const documentsOf = async function* (file: RunFile): AsyncGenerator<Document> {
  if (!file.lines) {
    yield {
      file,
      line: null,
      weight: file.size,
      bytes: file.size * (file.gzip ? GZIP_RATIO : 1),
      read: () => readWhole(file),
    }
    return
  }
  const source = createReadStream(file.path)
  // The callback ignores errors, because the loop below receives them as well.
  const bytes = file.gzip ? pipeline(source, createGunzip(), () => {}) : source
  let weighedBytes = 0
  for await (const { line, bytes: found } of splitLines(bytes, MAX_DOCUMENT_BYTES)) {
    yield {
      file,
      line,
      weight: source.bytesRead - weighedBytes,
      bytes: found?.length ?? 0,
      read: async () => found ?? TOO_LARGE,
    }
    weighedBytes = source.bytesRead
  }
}

const TOO_LARGE: NotImported = { kind: 'refused', status: 'refused', reason: `larger than ${MAX_DOCUMENT_BYTES} bytes` }

const readWhole = async (file: RunFile): Promise<Uint8Array | NotImported> => {
  // gzip makes a document smaller: a gzipped file over the limit is too large as well, and is not read.
  if (file.size > MAX_DOCUMENT_BYTES) return TOO_LARGE
  try {
    return await readFile(file.path)
  } catch (error) {
    return unreadable(error)
  }
}

const unreadable = (error: unknown): NotImported => {
  const { code, message } = error as NodeJS.ErrnoException
  const isDamaged = code?.startsWith('Z_')
  return isDamaged
    ? { kind: 'refused', status: 'refused', reason: `not valid gzip data: ${message}` }
    : { kind: 'failed', status: 'failed', reason: message }
}
