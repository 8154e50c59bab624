import { join } from 'node:path'
import { MessageChannel, Worker } from 'node:worker_threads'
import { ulid } from 'ulid'
import type { Commit } from '../commands/index.ts'
import type { Upload } from '../commands/run/ingest-run.ts'
import { invalidatedBy } from '../commands/tags.ts'
import type { Invalidated } from '../commands/tags.ts'
import type { Viewer } from '../queries/access/viewer.ts'
import { runInSteps, runLongRead } from '../queries/long-reads.ts'
import type { RunLongRead } from '../queries/long-reads.ts'
import { documentReader } from '../queries/runs/documents.ts'
import type { DocumentReader } from '../queries/runs/documents.ts'
import { findHead } from '../storage/log/head.ts'
import { cacheLocationOf, openCacheReader } from '../storage/open/cache.ts'
import { openReader } from '../storage/open/reader.ts'
import type { DatabaseStore, OpenReader, Store } from '../storage/open/reader.ts'
import { takeStateDirectory } from '../storage/sqlite/instance-lock.ts'
import type { Reader } from '../storage/storage.ts'
import { followLog } from './follow-log.ts'
import type { FollowLog } from './follow-log.ts'
import { responseCache } from './response-cache.ts'
import type { ResponseCache } from './response-cache.ts'
import { callsTo } from './threads/calls.ts'
import type { PreparerCall, PreparerData } from './threads/preparer-thread.ts'
import { readerPool } from './threads/reader-pool.ts'
import type { ReaderPool } from './threads/reader-pool.ts'
import type { ReaderData } from './threads/reader-thread.ts'
import { threadFile } from './threads/thread-file.ts'
import type { WriterData, WriterMessage } from './threads/writer-thread.ts'
import { openWriter } from './writer/open-writer.ts'
import type { WriterOptions } from './writer/writer.ts'

/** Everything that routes and commands of the command line work with. */
export type OpenService = {
  readonly reader: Reader
  readonly documents: DocumentReader
  readonly commit: Commit
  readonly job: RunLongRead
  /** Finished answers, told of every commit before it is answered. */
  readonly cache: ResponseCache
  /** The log position that every read from now on sees at least. */
  readonly position: () => number
  /**
   * Settles when everything is known that was committed before the call, by other replicas too: to be waited for before
   * anything kept is answered. Undefined where this process alone writes. Rejects when that cannot be told.
   */
  readonly caughtUp: () => Promise<void> | undefined
  /**
   * Moves whenever bodies of the shared cache that are kept here may be gone by another's doing, before `caughtUp`
   * settles.
   */
  readonly cacheGeneration: () => number
  /** Size and root (lower-case hex) of the log. */
  readonly head: () => Promise<{ readonly size: number; readonly root: string }>
  readonly instance: string
  /** Epoch milliseconds. */
  readonly now: () => number
  /**
   * Settles, never rejecting, as soon as it is known whether this start has to rebuild read tables: true before it
   * does, false where they are current.
   */
  readonly mustRebuild: Promise<boolean>
  /** Settles when the read tables are current; until then nothing may be answered from them. */
  readonly whenReady: Promise<{ readonly schema: number }>
  readonly isReady: () => boolean
  readonly close: () => Promise<void>
}

export type OpenOptions = {
  /** The state directory to take, or the database to share, which is all that is used then. */
  readonly dataDir?: string
  readonly database?: DatabaseStore
  /**
   * Worker threads for writes and long reads; without them all runs in this thread, for one-shot commands and specs.
   */
  readonly threads?: boolean
  readonly readers?: number
  readonly log?: (message: string, fields: Readonly<Record<string, unknown>>) => void
  /** The writer is gone for good (fenced, or broken): the process must end. */
  readonly onFatal?: (error: Error) => void
  readonly now?: () => number
  readonly checkRows?: boolean
  /** Whether this build made the store a moment ago: then its schema is as it should be. Only without threads. */
  readonly isNew?: boolean
}

/**
 * Opens the database, or takes the state directory and opens it. Throws `StateDirectoryTaken`, and on a store this
 * build cannot read.
 */
export const openService = async (options: OpenOptions): Promise<OpenService> => {
  const { dataDir, database } = options
  const open = (store: Store): Promise<OpenService> =>
    options.threads ? openInThreads(store, options) : openInProcess(store, options)
  if (database) return open(database)
  if (dataDir === undefined) throw new Error('a state directory or a database is needed')
  const release = takeStateDirectory(dataDir, options.now ?? Date.now)
  try {
    const opened = await open({ kind: 'sqlite', file: join(dataDir, 'service.db') })
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

/**
 * Milliseconds that a look at the log may take, a few records long: a database that is frozen is told from one that is
 * busy.
 */
const LOG_READ_TIMEOUT_MS = 5_000

/**
 * Where others write too, what they commit is followed by reads of the log; commits of this process come the same way.
 * `known` is told how far it is.
 */
const following = async (
  store: Store,
  cache: ResponseCache,
  known: BigInt64Array,
): Promise<{
  readonly follow: FollowLog
  readonly cacheTurn: () => number
  readonly close: () => Promise<void> | void
} | null> => {
  if (store.kind === 'sqlite') return null
  // A connection of its own: what everything waits for must not wait behind anything.
  const { openPinnedReader } = await import('../storage/postgres/pinned-reader.ts')
  // A server that was gone may have lost the last changes of the cache: nothing that was kept before holds then.
  let turn = 0
  const reader = await openPinnedReader({
    url: store.url,
    statementTimeout: Math.min(store.statementTimeout, LOG_READ_TIMEOUT_MS),
    onConnect: () => turn++,
  })
  const { size } = await reader.read(findHead)
  Atomics.store(known, 0, BigInt(size))
  const onMoved = (tags: readonly Invalidated[] | null, position: number): void => {
    Atomics.store(known, 0, BigInt(position))
    cache.invalidate(tags)
  }
  const follow = followLog({ reader, from: size, onMoved, onRemoved: () => turn++ })
  return { follow, cacheTurn: () => turn, close: () => reader.close() }
}

const openInProcess = async (
  store: Store,
  { dataDir = '.', database, now = Date.now, log = () => {}, checkRows = false, isNew = false }: OpenOptions,
): Promise<OpenService> => {
  const instance = ulid()
  const cache = responseCache()
  let position = 0
  const onCommitted: WriterOptions['onCommitted'] = ({ size }, recorded) => {
    position = size
    if (store.kind === 'sqlite') cache.invalidate(invalidatedBy(recorded))
  }
  const side = await openWriter(store, { instance, now, onCommitted, log, checkRows, isNew })
  const known = new BigInt64Array(1)
  const followed = await following(store, cache, known)
  const reader = await openReader(store, { checkRows, needed: () => Math.max(position, Number(known[0])) })
  const documents = documentReader(reader)
  const entries = openCacheReader(reader, store, cacheLocationOf({ dataDir, database }), { checkRows })
  return {
    reader,
    documents,
    commit: ((name: never, viewer: never, args: never) => side.commit(name, viewer, args)) as Commit,
    job: runInSteps((name, viewer, args, _signal, resumed) =>
      runLongRead({ reader, cache: entries.reader, documents, viewer }, name, args as never, resumed),
    ),
    cache,
    position: () => Math.max(position, followed?.follow.position() ?? 0),
    caughtUp: () => followed?.follow.caughtUp(),
    cacheGeneration: () => followed?.cacheTurn() ?? 0,
    head: async () => {
      const { size, root } = await side.head()
      return { size, root: root.toString('hex') }
    },
    instance,
    now,
    mustRebuild: Promise.resolve(false),
    whenReady: Promise.resolve({ schema: side.schema }),
    isReady: () => true,
    close: async () => {
      // The writer last: only a connection that may write leaves one whole file behind, without a write-ahead log.
      await followed?.close()
      await entries.close()
      await reader.close()
      await side.close()
    },
  }
}

/**
 * What the heap of a reader thread may hold. The largest case that a document can have takes some 700 MiB; what takes
 * more is 503.
 */
const MAX_READER_MIB = 1024

/**
 * The largest document that is prepared beside the writer, and all of them that are on their way at once: prepared they
 * take ten times the memory.
 */
const MAX_PREPARED_BYTES = 1024 * 1024
const MAX_PREPARING_BYTES = 4 * 1024 * 1024

const openInThreads = async (
  store: Store,
  { dataDir = '.', database, readers = 2, log = () => {}, onFatal = () => {} }: OpenOptions,
): Promise<OpenService> => {
  const instance = ulid()
  const shared = new SharedArrayBuffer(8)
  const position = new BigInt64Array(shared)
  const sharedKnown = new SharedArrayBuffer(8)
  /** What reads must see, where others write too. */
  const known = new BigInt64Array(sharedKnown)
  /** The position that the writer told of last: a commit is in the store a moment before. */
  let toldPosition = 0
  // Where others write too, nothing is answered before the log was read, and the writer tells nothing that is not read
  // there.
  const isShared = store.kind === 'postgres'
  const cache = responseCache({}, () => !isShared && Number(Atomics.load(position, 0)) > toldPosition)
  let closing = false

  const migrated = Promise.withResolvers<void>()
  const mustRebuild = Promise.withResolvers<boolean>()
  const ready = Promise.withResolvers<{ schema: number }>()
  // Whoever waits for it is told; an opening that fails before tells by `migrated`.
  ready.promise.catch(() => {})
  let isReady = false
  const writerThread = new Worker(threadFile('writer'), {
    workerData: { store, instance, position: shared } satisfies WriterData,
  })
  const writer = callsTo(writerThread, {
    onTold: (told) => {
      const news = told as WriterMessage
      if (news.kind === 'migrated') migrated.resolve()
      else if (news.kind === 'rebuilding') mustRebuild.resolve(true)
      else if (news.kind === 'ready') {
        mustRebuild.resolve(false)
        isReady = true
        toldPosition = Math.max(toldPosition, news.size)
        ready.resolve(news)
      } else if (news.kind === 'moved') {
        toldPosition = news.position
        if (!isShared) cache.invalidate(news.tags)
      } else if (news.kind === 'log') log(news.message, news.fields)
      else onFatal(new Error(news.message))
    },
    onExit: (error, code) => {
      const cause = error ?? new Error(`the writer thread ended with code ${code}`)
      migrated.reject(cause)
      // Why it ended, `ready` reports.
      mustRebuild.resolve(false)
      ready.reject(cause)
      if (!closing) onFatal(cause)
    },
  })
  await migrated.promise

  let pool: ReaderPool
  let reader: OpenReader
  let followed: Awaited<ReturnType<typeof following>>
  try {
    followed = await following(store, cache, known)
    // What this process committed is seen by the very request that did.
    reader = await openReader(store, {
      needed: () => Math.max(Number(Atomics.load(position, 0)), Number(Atomics.load(known, 0))),
    })
    pool = readerPool({
      threads: readers,
      start: () =>
        new Worker(threadFile('reader'), {
          resourceLimits: { maxOldGenerationSizeMb: MAX_READER_MIB },
          workerData: {
            store,
            known: sharedKnown,
            cacheAt: cacheLocationOf({ dataDir, database }),
          } satisfies ReaderData,
        }),
      onFatal,
    })
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
    const thread = new Worker(threadFile('preparer'), {
      workerData: { store, writer: port2 } satisfies PreparerData,
      transferList: [port2],
    })
    writer.call({ also: port1 }, [port1]).catch(onFatal)
    writer.hear(thread)
    thread.on('error', onFatal)
    return (preparerThread = thread)
  }

  /** Bytes of uploads that the preparer has, or the writer has from it, and the answers to them. */
  let beside = 0
  const besides = new Set<Promise<unknown>>()
  const prepareBeside = async (call: PreparerCall, length: number, transfer: ArrayBuffer[]): Promise<unknown> => {
    beside += length
    const answer = writer.callBy(preparer(), call, transfer)
    besides.add(answer)
    try {
      return await answer
    } finally {
      besides.delete(answer)
      beside -= length
    }
  }

  const commit = (
    name: string,
    viewer: Viewer,
    args: { readonly body?: Uint8Array; readonly encoding?: unknown },
  ): Promise<unknown> => {
    const { body, encoding } = args
    const transfer = body?.buffer instanceof ArrayBuffer ? [body.buffer] : []
    // An idle writer is quickest by itself; behind others, an upload is made ready while these are recorded. Only
    // inflating tells how large an encoded one is, so those are left to the writer.
    if (
      name === 'ingestRun' &&
      isReady &&
      writer.open() > 0 &&
      body &&
      encoding === null &&
      body.length <= MAX_PREPARED_BYTES
    ) {
      if (beside + body.length <= MAX_PREPARING_BYTES)
        return prepareBeside({ viewer, upload: args as Upload }, body.length, transfer)
    }
    return writer.call({ name, viewer, args }, transfer)
  }

  return {
    reader,
    documents: documentReader(reader),
    commit: commit as Commit,
    job: runInSteps(pool.run),
    cache,
    position: () => Math.max(Number(Atomics.load(position, 0)), followed?.follow.position() ?? 0),
    caughtUp: () => followed?.follow.caughtUp(),
    cacheGeneration: () => followed?.cacheTurn() ?? 0,
    head: () => writer.call({ head: true }) as Promise<{ size: number; root: string }>,
    instance,
    now: Date.now,
    mustRebuild: mustRebuild.promise,
    whenReady: ready.promise,
    isReady: () => isReady,
    close: async () => {
      closing = true
      // The writer last, as above. One that still rebuilds is not waited for: the next start goes on where it was.
      await followed?.close()
      await reader.close()
      try {
        await pool.close()
        // What the preparer has under way is answered first; then its connection goes, so that the writer's is the
        // last.
        await Promise.allSettled(besides)
        await preparerThread?.terminate()
        if (isReady) await writer.call({ close: true })
      } finally {
        await writerThread.terminate()
      }
    },
  }
}
