import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { ulid } from 'ulid'
import type { Commit } from '../commands/index.ts'
import { tagsOf } from '../commands/tags.ts'
import { responseCache } from '../http/response-cache.ts'
import type { ResponseCache } from '../http/response-cache.ts'
import { documentReader } from '../queries/documents.ts'
import type { DocumentReader } from '../queries/documents.ts'
import { runJob } from '../queries/jobs.ts'
import type { RunJob } from '../queries/jobs.ts'
import { takeStateDirectory } from '../storage/instance-lock.ts'
import { openSqliteReader } from '../storage/sqlite.ts'
import type { SqliteReader } from '../storage/sqlite.ts'
import type { Reader } from '../storage/storage.ts'
import { callsTo } from './calls.ts'
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

const openThreads = async ({ dataDir, readers = 2, log = () => {}, onFatal = () => {} }: OpenOptions): Promise<OpenService> => {
  const instance = ulid()
  const file = fileOf(dataDir)
  const shared = new SharedArrayBuffer(8)
  const position = new BigInt64Array(shared)
  const cache = responseCache()
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
        ready.resolve(news)
      } else if (news.kind === 'moved') cache.moved(news.tags)
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

  return {
    reader,
    documents: documentReader(reader),
    commit: ((name: string, viewer: unknown, args: { body?: Uint8Array }) =>
      writer.call({ name, viewer, args }, args.body?.buffer instanceof ArrayBuffer ? [args.body.buffer] : [])) as Commit,
    job: (name, viewer, args, signal) => pool.run(name, viewer, args, signal),
    cache,
    position: () => Number(Atomics.load(position, 0)),
    head: () => writer.call({ head: true }) as Promise<{ size: number; root: string }>,
    instance,
    whenReady: ready.promise,
    isReady: () => isReady,
    close: async () => {
      closing = true
      // The writer last, as above. One that still rebuilds is not waited for: the next start goes on where it was.
      reader.close()
      try {
        await pool.close()
        if (isReady) await writer.call({ close: true })
      } finally {
        await writerThread.terminate()
      }
    },
  }
}
