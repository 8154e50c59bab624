import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { findLastEntry } from '../../storage/cache/entries.ts'
import { listNew } from '../../storage/cache/selection.ts'
import type { CacheStore } from '../../storage/cache/store.ts'
import { indexListed } from './indexing.ts'

/** New entries are indexed when no other has arrived for this time, or when this many, or this many bytes, wait. */
const QUIET_MS = 100
export const MAX_NEW = 1024
const MAX_NEW_BYTES = 16 * 1024 * 1024

/** Maximum number of entries, and of bytes of their bodies, in a batch: a body that arrives waits until its end. */
const MAX_BATCH = 64
const MAX_BATCH_BYTES = 1024 * 1024

type Options = {
  readonly store: CacheStore
  readonly rules: number
  readonly log: (message: string, fields: Readonly<Record<string, unknown>>) => void
}

/** Indexes the entries that this process stores without an index. */
export type IndexNew = {
  /** Entries were stored. Settles at once; if too many wait, only when a batch of them is indexed. */
  readonly noteStored: (entries: number, bytes: number) => Promise<void>
  /** Settles when all entries that were stored until now are indexed. */
  readonly settle: () => Promise<void>
  readonly stop: () => void
}

/**
 * Indexes new entries later and in batches: a batch changes each page of the indexes once, and no client waits for it. A process that ends
 * before leaves them to `keepIndexing`. No other process may store entries.
 */
export const indexNew = ({ store, rules, log }: Options): IndexNew => {
  /** Entries that were stored here, and as many of them as are indexed for certain. */
  let stored = 0
  let indexed = 0
  let waiting = { entries: 0, bytes: 0 }
  // Entries that were there before may be many. If their end cannot be read now, they are indexed too.
  let after = store.read(findLastEntry).catch(() => 0)
  let timer: NodeJS.Timeout | undefined
  let indexing: Promise<void> | null = null

  const indexOne = async (): Promise<void> => {
    const storedBefore = stored
    const from = await after
    const listed = await store.read(listNew(from, MAX_BATCH))
    const done = listed.slice(0, await indexListed(store, rules, listed, MAX_BATCH_BYTES))
    const last = done.at(-1)
    if (last) {
      after = Promise.resolve(last.entry_no)
      waiting.entries -= done.length
      waiting.bytes -= done.reduce((sum, { size }) => sum + size, 0)
    } else {
      indexed = storedBefore
      if (stored === storedBefore) waiting = { entries: 0, bytes: 0 }
    }
  }
  const indexAll = async (): Promise<void> => {
    while (indexed < stored) {
      await indexOne()
      await yieldToEventLoop()
    }
  }
  const settle = async (): Promise<void> => {
    // An indexing that has come to its end may not know what was stored since.
    while (indexed < stored) {
      indexing ??= indexAll().finally(() => (indexing = null))
      await indexing
    }
  }
  const logFailure = (error: unknown): void => log('cache entries cannot be indexed', { error: String(error) })

  return {
    noteStored: async (entries, bytes) => {
      stored += entries
      waiting.entries += entries
      waiting.bytes += bytes
      if (timer) timer.refresh()
      else timer = setTimeout(() => void settle().catch(logFailure), QUIET_MS).unref()
      if (!indexing && (waiting.entries > MAX_NEW || waiting.bytes > MAX_NEW_BYTES)) await indexOne().catch(logFailure)
    },
    settle,
    stop: () => clearTimeout(timer),
  }
}
