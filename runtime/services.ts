import type { Logger } from 'pino'
import type { Commit } from '../commands/commit.ts'
import type { Viewer } from '../queries/access/viewer.ts'
import type { LocalDirectory } from '../queries/cache/local.ts'
import type { LongReads } from '../queries/long-reads.ts'
import type { DocumentReader } from '../queries/runs/documents.ts'
import type { Model } from '../storage/missing-tables.ts'
import type { BucketLocation, DatabaseStore } from '../storage/open/reader.ts'
import type { Reader } from '../storage/storage.ts'
import type { CallBudget } from './call-budget.ts'
import type { SharedCache } from './cache/shared-cache.ts'
import type { PartStore } from './evidence/part-store.ts'
import type { ChangeFeed } from './change-feed.ts'
import type { CheckpointSigner } from './proof/signer.ts'
import type { ResponseCache } from './response-cache.ts'
import type { SentCounts } from './webhooks/sent-counts.ts'

/** An opened store, as the routes and the command line use it. */
export type OpenService = {
  readonly reader: Reader
  readonly documents: DocumentReader
  readonly commit: Commit
  readonly longReads: LongReads
  /**
   * Calls what reads something to warm up. Until that has settled, or a new thread would be as far, long reads of others
   * wait for the same thread instead of starting one.
   */
  readonly warmReads: (read: () => Promise<void>) => Promise<void>
  /** Collects the garbage of all threads that are free, and returns the memory to the system. */
  readonly releaseMemory: () => Promise<void>
  /** Cached responses. A commit invalidates them before its own response is sent. */
  readonly cache: ResponseCache
  /** What commits change, for streams of events. */
  readonly changes: ChangeFeed
  /** The log position that every later read has reached or passed. */
  readonly position: () => number
  /**
   * Settles when this process has seen all commits that any replica made before the call. Wait for it before you return
   * a cached response. Undefined if no other process writes. Rejects if the log cannot be read.
   */
  readonly caughtUp: () => Promise<void> | undefined
  /**
   * Increases whenever another replica may have deleted bodies of the shared cache that this process has in memory. It
   * does so before `caughtUp` settles.
   */
  readonly cacheGeneration: () => number
  /** Size and root (lower-case hex) of the log. */
  readonly head: () => Promise<{ readonly size: number; readonly root: string }>
  /**
   * Overwrites what erasures deleted and is still in the files of the store; does nothing if no erasure is pending. Throws
   * `Unavailable` if reads prevent it.
   */
  readonly wipe: () => Promise<void>
  /** How many tool calls each agent may still make. */
  readonly callBudget: CallBudget
  /** Identifies this process in the log. */
  readonly instance: string
  /** Epoch milliseconds. */
  readonly now: () => number
  /** The number of migrations of the store. */
  readonly schema: number
  /** The read models of this build. */
  readonly models: readonly Model[]
  readonly close: () => Promise<void>
}

export type OpenOptions = {
  /** The state directory to take. With a database it is not used. */
  readonly dataDir?: string
  /** The database to share with other replicas. */
  readonly database?: DatabaseStore
  /** The bucket of large parts of evidence, if there is one. */
  readonly bucket?: BucketLocation | null
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

/** The number of runs and cache entries beyond the configured limits. */
export type Retained = { readonly runs: number; readonly cache_entries: number }

/**
 * Deletes the cache entries beyond the limits, and the runs beyond them that the viewer can see; with `dry_run`, only
 * counts them. An abort stops further deletions. Returns how many were deleted, or would be.
 */
export type Retain = (
  viewer: Viewer,
  asked: { readonly dry_run: boolean; readonly signal: AbortSignal },
) => Promise<Retained>

/** The parts of a running service. */
export type RunningService = Pick<
  OpenService,
  | 'reader'
  | 'documents'
  | 'commit'
  | 'longReads'
  | 'cache'
  | 'changes'
  | 'position'
  | 'caughtUp'
  | 'wipe'
  | 'callBudget'
  | 'instance'
  | 'now'
  | 'schema'
  | 'models'
> & {
  /** The cache of provider responses. */
  readonly sharedCache: SharedCache
  /** A directory of entries that is shown in addition to the shared cache; null if there is none. */
  readonly localCache: LocalDirectory | null
  readonly retain: Retain
  /** Parts of evidence. */
  readonly partStore: PartStore
  /** Signs checkpoints of the log; null if no key is configured. */
  readonly signer: CheckpointSigner | null
  /** Sends webhooks; null without a key for their secrets. */
  readonly webhooks: { readonly counts: () => SentCounts } | null
  readonly logger: Logger
}
