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

/** How many documents went which way; `skipped` were in the journal. */
export type ImportCounts = { imported: number; already_there: number; refused: number; failed: number; skipped: number }
export type NotIn = Extract<Outcome, { kind: 'refused' | 'failed' }>

export type ImportOptions = {
  readonly journal: ImportJournal
  readonly concurrency: number
  /** Once aborted, what is on its way is finished and nothing more is taken. */
  readonly signal: AbortSignal
  readonly onNotIn: (path: string, line: number | null, outcome: NotIn) => void
  readonly onProgress: (progress: Omit<Progress, 'seconds'>) => void
}

/**
 * A document to send: `line` is null when it is the whole file; `weight` is its part of the bytes of all files, `bytes`
 * about its size in memory.
 */
type Document = {
  readonly file: RunFile
  readonly line: number | null
  readonly weight: number
  readonly bytes: number
  readonly read: () => Promise<Uint8Array | NotIn>
}

/** Bytes of documents on their way at once, however many these are. */
const MAX_IN_FLIGHT = 64 * 1024 * 1024

/** What a gzipped document is taken to be unpacked. */
const UNPACKED = 8

/**
 * Sends every document of the files, `concurrency` at a time and never reading far ahead. The first goes alone: what is
 * wrong with the target shows once. A document that does not make it never stops the others; what the target throws
 * does, after those on their way.
 */
export const importRuns = async (
  files: readonly RunFile[],
  target: ImportTarget,
  options: ImportOptions,
): Promise<ImportCounts> => {
  const { journal, concurrency, signal, onNotIn, onProgress } = options
  const counts: ImportCounts = { imported: 0, already_there: 0, refused: 0, failed: 0, skipped: 0 }
  const queue = new PQueue({ concurrency })
  const all = files.reduce((sum, { size }) => sum + size, 0)
  const total = files.some(({ lines }) => lines) ? null : files.length
  const failures: unknown[] = []
  const stopped = () => signal.aborted || failures.length > 0
  let weight = 0
  let answered = false

  const finish = (
    document: Pick<Document, 'file' | 'line' | 'weight'>,
    outcome: Outcome | { readonly kind: 'skipped' },
  ) => {
    counts[outcome.kind] += 1
    weight += document.weight
    if ('status' in outcome) onNotIn(document.file.path, document.line, outcome)
    const { imported, already_there, refused, failed, skipped } = counts
    onProgress({
      done: imported + already_there + refused + failed + skipped,
      total,
      share: all > 0 ? weight / all : 1,
    })
  }

  const work = async (document: Document) => {
    if (stopped()) return
    try {
      const bytes = await document.read()
      const outcome =
        'kind' in bytes ? bytes : await target.send({ bytes, gzip: document.file.gzip && document.line === null })
      answered ||= !('kind' in bytes)
      if (!('status' in outcome)) await journal.add(document.file, document.line)
      finish(document, outcome)
    } catch (error) {
      failures.push(error)
    }
  }

  let underWay = 0
  let freed = Promise.withResolvers<void>()
  const leave = ({ bytes }: Document) => {
    underWay -= bytes
    freed.resolve()
    freed = Promise.withResolvers()
  }

  const take = async (document: Document) => {
    if (journal.has(document.file, document.line)) return finish(document, { kind: 'skipped' })
    await queue.onSizeLessThan(1)
    // A document that is large by itself goes alone.
    while (underWay > 0 && underWay + document.bytes > MAX_IN_FLIGHT) await freed.promise
    underWay += document.bytes
    const done = queue.add(() => work(document)).finally(() => leave(document))
    if (!answered) await done
  }

  for (const file of files) {
    if (stopped()) break
    try {
      for await (const document of documentsOf(file)) {
        if (stopped()) break
        await take(document)
      }
    } catch (error) {
      finish({ file, line: null, weight: 0 }, unreadable(error))
    }
  }
  await queue.onIdle()
  if (failures.length > 0) throw new ImportStopped(counts, failures[0])
  return counts
}

/** The target threw: how far it went until then, and why as the cause. */
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
      bytes: file.size * (file.gzip ? UNPACKED : 1),
      read: () => readWhole(file),
    }
    return
  }
  const source = createReadStream(file.path)
  // The callback is there because an error shall reach the reader of the lines, and only that one.
  const bytes = file.gzip ? pipeline(source, createGunzip(), () => {}) : source
  let weighed = 0
  for await (const { line, bytes: found } of splitLines(bytes, MAX_DOCUMENT_BYTES)) {
    yield {
      file,
      line,
      weight: source.bytesRead - weighed,
      bytes: found?.length ?? 0,
      read: async () => found ?? TOO_LARGE,
    }
    weighed = source.bytesRead
  }
}

const TOO_LARGE: NotIn = { kind: 'refused', status: 'refused', reason: `larger than ${MAX_DOCUMENT_BYTES} bytes` }

const readWhole = async (file: RunFile): Promise<Uint8Array | NotIn> => {
  // A document only shrinks by gzip, so this holds for both and saves the read.
  if (file.size > MAX_DOCUMENT_BYTES) return TOO_LARGE
  try {
    return await readFile(file.path)
  } catch (error) {
    return unreadable(error)
  }
}

const unreadable = (error: unknown): NotIn => {
  const { code, message } = error as NodeJS.ErrnoException
  const damaged = code?.startsWith('Z_')
  return damaged
    ? { kind: 'refused', status: 'refused', reason: `not valid gzip data: ${message}` }
    : { kind: 'failed', status: 'failed', reason: message }
}
