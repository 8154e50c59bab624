import { readCacheBody } from '../../domain/cache/body.ts'
import { findTotal, indexEntries } from '../../storage/cache/entries.ts'
import type { EntryIndex } from '../../storage/cache/entries.ts'
import { countOutdated, listBodies, listUnread } from '../../storage/cache/selection.ts'
import type { CacheStore } from '../../storage/cache/store.ts'

/** Entries of one batch, and bytes of their bodies; the first is taken whatever its size. */
const BATCH = 200
const BATCH_BYTES = 16 * 1024 * 1024

export const PAUSE_MS = 250
export const RECHECK_MS = 300_000
const REPORT_MS = 120_000

/** What an entry is listed by. */
export const indexOf = (bytes: Uint8Array): EntryIndex => {
  const { status, ...read } = readCacheBody(bytes)
  return { ...read, parseable: status === 'parsed', opaque: status === 'opaque' }
}

/**
 * Reads the bodies of one batch of entries that nobody has read yet, or by older rules alone. Answers how many there
 * were.
 */
export const indexBatch = async (store: CacheStore, rules: number): Promise<number> => {
  let bytes = 0
  const batch = (await store.read(listUnread(rules, BATCH))).filter(({ size }, i) => {
    bytes += size
    return i === 0 || bytes <= BATCH_BYTES
  })
  if (batch.length === 0) return 0
  const bodies = await store.read(listBodies(batch.map(({ entry_no }) => entry_no)))
  await store.change(
    indexEntries(
      bodies.map(({ entry_no, bytes: body }) => ({ entry_no, index: indexOf(body) })),
      rules,
    ),
  )
  return batch.length
}

type Indexing = {
  readonly store: CacheStore
  readonly rules: number
  /** Waits; rejects when it is aborted. */
  readonly wait: (ms: number) => Promise<void>
  readonly clock: () => number
  readonly log: (message: string, fields: Readonly<Record<string, unknown>>) => void
}

/**
 * Reads what is unread in small batches with pauses, for ever: entries that nobody has read first, then those that lack
 * what newer rules read. Each step may be done by several replicas at once. Ends when `wait` rejects; a batch that
 * fails is told and tried again later.
 */
export const keepIndexing = async ({ store, rules, wait, clock, log }: Indexing): Promise<never> => {
  let told = Number.NEGATIVE_INFINITY
  let indexed = 0
  const report = async (message: string): Promise<void> => {
    told = clock()
    log(message, {
      indexed,
      unindexed: await store.read(findTotal('unindexed')),
      outdated: await store.read(countOutdated(rules)),
    })
  }
  const step = async (): Promise<number> => {
    const done = await indexBatch(store, rules)
    indexed += done
    if (done > 0 && clock() - told >= REPORT_MS) await report('indexing cache entries')
    if (done === 0 && indexed > 0) {
      await report('cache entries are indexed')
      indexed = 0
      told = Number.NEGATIVE_INFINITY
    }
    return done
  }
  for (;;) {
    const done = await step().catch((error: unknown) => {
      log('cache entries cannot be indexed', { error: String(error) })
      return 0
    })
    await wait(done === 0 ? RECHECK_MS : PAUSE_MS)
  }
}
