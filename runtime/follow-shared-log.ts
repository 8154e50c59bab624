import type { Invalidated } from '../commands/tags.ts'
import { findHead } from '../storage/log/head.ts'
import type { Store } from '../storage/open/reader.ts'
import type { Batch, ChangeFeed } from './change-feed.ts'
import { followLog, type FollowLog } from './follow-log.ts'
import type { ResponseCache } from './response-cache.ts'

/**
 * Maximum milliseconds of one read of the log, which reads only a few records. The limit distinguishes a database that
 * is frozen from one that is busy.
 */
const LOG_READ_TIMEOUT_MS = 5_000

export type SharedLog = FollowLog & {
  /** Increases whenever entries of the shared cache may have been deleted. */
  readonly cacheGeneration: () => number
  readonly close: () => Promise<void>
}

type Followers = {
  readonly cache: ResponseCache
  readonly changes: ChangeFeed
  readonly seenPosition: BigInt64Array
}

/**
 * Follows the log of a database by reading it, since other replicas commit too; this process reads its own commits there
 * as well. All of them invalidate responses in `cache` and are published in `changes`, and `seenPosition` receives the
 * position of the last one. Null on SQLite, where no other process writes.
 */
export const followSharedLog = async (
  store: Store,
  { cache, changes, seenPosition }: Followers,
): Promise<SharedLog | null> => {
  if (store.kind === 'sqlite') return null
  // On a connection of its own: every request waits for this read, so it must not queue behind another one.
  const { openPinnedReader } = await import('../storage/postgres/pinned-reader.ts')
  let cacheGeneration = 0
  const reader = await openPinnedReader({
    url: store.url,
    statementTimeoutMs: Math.min(store.statementTimeoutMs, LOG_READ_TIMEOUT_MS),
    // A database that was unreachable may have lost the last changes of the cache, so every cached body counts as
    // deleted.
    onConnect: () => cacheGeneration++,
  })
  const { size } = await reader.read(findHead)
  Atomics.store(seenPosition, 0, BigInt(size))
  changes.publish({ from: size, to: size, changes: [] })
  const onInvalidated = (tags: readonly Invalidated[] | null, position: number, batch: Batch): void => {
    Atomics.store(seenPosition, 0, BigInt(position))
    cache.invalidate(tags)
    changes.publish(batch)
  }
  const followed = followLog({ reader, from: size, onInvalidated, onEvicted: () => cacheGeneration++ })
  return { ...followed, cacheGeneration: () => cacheGeneration, close: reader.close }
}
