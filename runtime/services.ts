import type { Logger } from 'pino'
import type { Commit } from '../commands/index.ts'
import type { Viewer } from '../queries/access/viewer.ts'
import type { LocalDirectory } from '../queries/cache/local.ts'
import type { RunLongRead } from '../queries/long-reads.ts'
import type { DocumentReader } from '../queries/runs/documents.ts'
import type { DatabaseStore } from '../storage/open/reader.ts'
import type { Reader } from '../storage/storage.ts'
import type { SharedCache } from './cache/shared-cache.ts'
import type { ResponseCache } from './response-cache.ts'

/** What routes and commands of the command line work with: an opened store. */
export type OpenService = {
  readonly reader: Reader
  readonly documents: DocumentReader
  readonly commit: Commit
  readonly runLongRead: RunLongRead
  /** Cached responses. A commit invalidates them before it is answered. */
  readonly cache: ResponseCache
  /** The log position that every read from now on sees at least. */
  readonly position: () => number
  /**
   * Settles when all commits before the call, by any replica, have been seen: wait for it before a cached response is
   * returned. Undefined where no other process writes. Rejects when this cannot be established.
   */
  readonly caughtUp: () => Promise<void> | undefined
  /**
   * Increases whenever another replica may have deleted bodies of the shared cache that this process has in memory,
   * before `caughtUp` settles.
   */
  readonly cacheGeneration: () => number
  /** Size and root (lower-case hex) of the log. */
  readonly head: () => Promise<{ readonly size: number; readonly root: string }>
  /** Identifies this process in the log. */
  readonly instance: string
  /** Epoch milliseconds. */
  readonly now: () => number
  /**
   * Never rejects. Settles when the start has compared the read tables: true before it rebuilds them, false if they are
   * current.
   */
  readonly mustRebuild: Promise<boolean>
  /** Settles when the read tables are current; until then no response may be made from them. */
  readonly whenReady: Promise<{ readonly schema: number }>
  readonly isReady: () => boolean
  readonly close: () => Promise<void>
}

export type OpenOptions = {
  /** The state directory to take. With a database it is not used. */
  readonly dataDir?: string
  /** The database to share with other replicas. */
  readonly database?: DatabaseStore
  /** Runs writes and long reads in worker threads; without it they run in the calling thread. */
  readonly threads?: boolean
  readonly readers?: number
  readonly log?: (message: string, fields: Readonly<Record<string, unknown>>) => void
  /** Called when the writer cannot write any more (it was fenced, or it failed): the process must end. */
  readonly onFatal?: (error: Error) => void
  readonly now?: () => number
  readonly checkRows?: boolean
  /** Whether this build has just created the store, so that its schema is current. Only without threads. */
  readonly isNew?: boolean
}

/** What exceeds the configured limits. */
export type Retained = { readonly runs: number; readonly cache_entries: number }

/**
 * Deletes everything beyond the limits that the viewer can see, or only counts it. An abort keeps the rest. Returns how
 * many were deleted, or would be.
 */
export type Retain = (
  viewer: Viewer,
  asked: { readonly dry_run: boolean; readonly signal: AbortSignal },
) => Promise<Retained>

/** The parts of a running service. */
export type RunningService = Pick<
  OpenService,
  'reader' | 'documents' | 'commit' | 'runLongRead' | 'cache' | 'position' | 'caughtUp' | 'instance' | 'now'
> & {
  /** The cache of provider responses. */
  readonly sharedCache: SharedCache
  /** A directory of entries that is shown in addition to it; null where there is none. */
  readonly localCache: LocalDirectory | null
  readonly retain: Retain
  /**
   * False until the start has rebuilt the read tables and created the bootstrap admin: no request is answered from the
   * tables earlier.
   */
  readonly isReady: () => boolean
  readonly logger: Logger
}
