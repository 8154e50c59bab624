import { join } from 'node:path'
import { MessageChannel, Worker } from 'node:worker_threads'
import { ulid } from 'ulid'
import type { Commit } from '../commands/index.ts'
import type { Upload } from '../commands/run/ingest-run.ts'
import { tagsOf } from '../commands/tags.ts'
import { responseCache } from '../http/response-cache.ts'
import type { ResponseCache } from '../http/response-cache.ts'
import { documentReader } from '../queries/documents.ts'
import type { DocumentReader } from '../queries/documents.ts'
import { runJob } from '../queries/jobs.ts'
import type { RunJob } from '../queries/jobs.ts'
import type { Viewer } from '../queries/viewer.ts'
import { takeStateDirectory } from '../storage/instance-lock.ts'
import { openSqliteReader } from '../storage/sqlite.ts'
import type { SqliteReader } from '../storage/sqlite.ts'
import type { Reader } from '../storage/storage.ts'
import { callsTo } from './calls.ts'
import type { PreparerCall, PreparerData } from './preparer.ts'
import { readerPool } from './reader-pool.ts'
import type { ReaderPool } from './reader-pool.ts'
import type { ReaderData } from './reader.ts'
import { openWriteSide } from './write-side.ts'
import type { WriteSideOptions } from './write-side.ts'
import type { WriterData, WriterTold } from './writer.ts'

/** Everything that routes and commands of the command line work with. */
export type OpenService = {
  readonly reader: Reader
  readonly documents: DocumentReader
  readonly commit: Commit
  readonly job: RunJob
  /** Finished answers, told of every commit before it is answered. */
  readonly cache: ResponseCache
  /** The log position that every read from now on sees at least. */
  readonly position: () => number
  /** Size and root (lower-case hex) of the log. */
  readonly head: () => Promise<{ readonly size: number; readonly root: string }>
  readonly instance: string
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Settles when the read tables are current; until then nothing may be answered from them. */
  readonly whenReady: Promise<{ readonly schema: number }>
  readonly isReady: () => boolean
  readonly close: () => Promise<void>
}

export type OpenOptions = {
  readonly dataDir: string
  /** Worker threads for writes and long reads; without them all runs in this thread, for one-shot commands and specs. */
  readonly threads?: boolean
  readonly readers?: number
  readonly log?: (message: string, fields: Readonly<Record<string, unknown>>) => void
  /** The writer is gone for good (fenced, or broken): the process must end. */
  readonly onFatal?: (error: Error) => void
  readonly now?: () => number
  readonly checkRows?: boolean
}

/** Takes the state directory and opens it. Throws `StateDirectoryTaken`, and on a store this build cannot read. */
export const openService = async (options: OpenOptions): Promise<OpenService> => {
  const release = takeStateDirectory(options.dataDir, options.now ?? Date.now)
  try {
    const opened = await (options.threads ? openThreads(options) : openHere(options))
    return {
      ...opened,
      close: async () => {
        try {
          await opened.close()
        } finally {
          release()
        }
      },
    }
  } catch (error) {
    release()
    throw error
  }
}

const fileOf = (dataDir: string): string => join(dataDir, 'service.db')

const openHere = async ({ dataDir, now = Date.now, log = () => {}, checkRows = false }: OpenOptions): Promise<OpenService> => {
  const instance = ulid()
  const cache = responseCache()
  let position = 0
  const onCommitted: WriteSideOptions['onCommitted'] = ({ size }, recorded) => {
    position = size
    cache.moved(tagsOf(recorded))
  }
  const side = await openWriteSide({ file: fileOf(dataDir), instance, now, onCommitted, log, checkRows })
  const reader = openSqliteReader(fileOf(dataDir), { checkRows })
  const documents = documentReader(reader)
  return {
    reader,
    documents,
    commit: ((name: never, viewer: never, args: never) => side.commit(name, viewer, args)) as Commit,
    job: async (name, viewer, args) => {
      const body = await runJob({ reader, documents, viewer }, name, args as never)
      return body === null ? null : { body, etag: null }
    },
    cache,
    position: () => position,
    head: async () => {
      const { size, root } = side.head()
      return { size, root: root.toString('hex') }
    },
    instance,
    now,
    whenReady: Promise.resolve({ schema: side.schema }),
    isReady: () => true,
    close: async () => {
      // The writer last: only a connection that may write leaves one whole file behind, without a write-ahead log.
      reader.close()
      await side.close()
    },
  }
}

// In a checkout the threads run from `.ts`, in a build from `.js`.
const threadFile = (name: string): URL => new URL(`./${name}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url)

/** The largest document that is prepared beside the writer, and all of them that are on their way at once: prepared they take ten times the memory. */
const MOST_PREPARED_BYTES = 1024 * 1024
const MOST_BESIDE_BYTES = 4 * 1024 * 1024

const openThreads = async ({ dataDir, readers = 2, log = () => {}, onFatal = () => {} }: OpenOptions): Promise<OpenService> => {
  const instance = ulid()
  const file = fileOf(dataDir)
  const shared = new SharedArrayBuffer(8)
  const position = new BigInt64Array(shared)
  /** The position that the writer told of last: a commit is in the store a moment before. */
  let toldPosition = 0
  const cache = responseCache({}, () => Number(Atomics.load(position, 0)) > toldPosition)
  let closing = false

  const migrated = Promise.withResolvers<void>()
  const ready = Promise.withResolvers<{ schema: number }>()
  // Whoever waits for it is told; an opening that fails before tells by `migrated`.
  ready.promise.catch(() => {})
  let isReady = false
  const writerThread = new Worker(threadFile('writer'), { workerData: { file, instance, position: shared } satisfies WriterData })
  const writer = callsTo(writerThread, {
    onTold: (told) => {
      const news = told as WriterTold
      if (news.kind === 'migrated') migrated.resolve()
      else if (news.kind === 'ready') {
        isReady = true
        toldPosition = Math.max(toldPosition, news.size)
        ready.resolve(news)
      } else if (news.kind === 'moved') {
        toldPosition = news.position
        cache.moved(news.tags)
      }
      else if (news.kind === 'log') log(news.message, news.fields)
      else onFatal(new Error(news.message))
    },
    onExit: (error, code) => {
      const cause = error ?? new Error(`the writer thread ended with code ${code}`)
      migrated.reject(cause)
      ready.reject(cause)
      if (!closing) onFatal(cause)
    },
  })
  await migrated.promise

  let pool: ReaderPool
  let reader: SqliteReader
  try {
    reader = openSqliteReader(file)
    pool = readerPool({ threads: readers, start: () => new Worker(threadFile('reader'), { workerData: { file } satisfies ReaderData }), onFatal })
  } catch (error) {
    // A writer must not live on without the lock, which the caller lets go of.
    closing = true
    await writerThread.terminate()
    throw error
  }

  let preparerThread: Worker | undefined
  /** The thread that prepares uploads while the writer is busy; started for the first. */
  const preparer = (): Worker => {
    if (preparerThread) return preparerThread
    const { port1, port2 } = new MessageChannel()
    const thread = new Worker(threadFile('preparer'), { workerData: { file, writer: port2 } satisfies PreparerData, transferList: [port2] })
    writer.call({ also: port1 }, [port1]).catch(onFatal)
    writer.hear(thread)
    thread.on('error', onFatal)
    return (preparerThread = thread)
  }

  let beside = 0
  const commit = (name: string, viewer: Viewer, args: { readonly body?: Uint8Array; readonly encoding?: unknown }): Promise<unknown> => {
    const { body, encoding } = args
    const transfer = body?.buffer instanceof ArrayBuffer ? [body.buffer] : []
    // An idle writer is quickest by itself; behind others, an upload is made ready while these are recorded. Only inflating
    // tells how large an encoded one is, so those are left to the writer.
    if (name === 'ingestRun' && isReady && writer.open() > 0 && body && encoding === null && body.length <= MOST_PREPARED_BYTES) {
      const { length } = body
      if (beside + length <= MOST_BESIDE_BYTES) {
        beside += length
        return writer.callBy(preparer(), { viewer, upload: args as Upload } satisfies PreparerCall, transfer).finally(() => (beside -= length))
      }
    }
    return writer.call({ name, viewer, args }, transfer)
  }

  return {
    reader,
    documents: documentReader(reader),
    commit: commit as Commit,
    job: (name, viewer, args, signal) => pool.run(name, viewer, args, signal),
    cache,
    position: () => Number(Atomics.load(position, 0)),
    head: () => writer.call({ head: true }) as Promise<{ size: number; root: string }>,
    instance,
    now: Date.now,
    whenReady: ready.promise,
    isReady: () => isReady,
    close: async () => {
      closing = true
      // The writer last, as above. One that still rebuilds is not waited for: the next start goes on where it was.
      reader.close()
      try {
        await pool.close()
        // What it has under way is passed on to the writer, which answers it before it closes.
        if (preparerThread) while (writer.open() > 0) await new Promise((resolve) => setTimeout(resolve, 5))
        if (isReady) await writer.call({ close: true })
      } finally {
        await preparerThread?.terminate()
        await writerThread.terminate()
      }
    },
  }
}
