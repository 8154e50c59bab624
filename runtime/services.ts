import type { Logger } from 'pino'
import type { Commit } from '../commands/index.ts'
import type { LocalDirectory } from '../queries/cache/local.ts'
import type { RunLongRead } from '../queries/long-reads.ts'
import type { DocumentReader } from '../queries/runs/documents.ts'
import type { Reader } from '../storage/storage.ts'
import type { SharedCache } from './cache/shared-cache.ts'
import type { ResponseCache } from './response-cache.ts'
import type { Viewer } from '../queries/access/viewer.ts'

/** What is beyond the limits of the configuration. */
export type Retained = { readonly runs: number; readonly cache_entries: number }

/**
 * Deletes at once what is beyond the limits, as far as the viewer sees it, or only counts it; where it is aborted the
 * rest stays. Answers how many went, or would.
 */
export type Retain = (
  viewer: Viewer,
  asked: { readonly dry_run: boolean; readonly signal: AbortSignal },
) => Promise<Retained>

/** The parts of a running service. */
export type RunningService = {
  readonly reader: Reader
  readonly documents: DocumentReader
  readonly commit: Commit
  readonly job: RunLongRead
  /** Cached responses. A writer invalidates them before the write is answered. */
  readonly cache: ResponseCache
  readonly position: () => number
  /**
   * Settles when everything is known that any replica committed before the call; undefined where no other process
   * writes. Rejects when that cannot be established.
   */
  readonly caughtUp: () => Promise<void> | undefined
  /** The cache of provider responses. */
  readonly sharedCache: SharedCache
  /** A directory of entries that is shown next to it; null where there is none. */
  readonly localCache: LocalDirectory | null
  /** This process, in the record. */
  readonly instance: string
  readonly retain: Retain
  /** Epoch milliseconds. */
  readonly now: () => number
  /**
   * False until a start has rebuilt the read tables and made the bootstrap admin: no request is answered from the
   * tables earlier.
   */
  readonly isReady: () => boolean
  readonly logger: Logger
}
