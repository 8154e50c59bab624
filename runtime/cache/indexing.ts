import { readCacheBody } from '../../domain/cache/body.ts'
import { findTotal, indexEntries, type EntryIndex } from '../../storage/cache/entries.ts'
import { countOutdated, listBodies, listUnindexed, type UnindexedEntry } from '../../storage/cache/selection.ts'
import type { CacheStore } from '../../storage/cache/store.ts'

/**
 * Maximum number of entries in one batch, and of bytes of their bodies. The first entry of a batch is indexed even if
 * it alone has more bytes.
 */
const MAX_BATCH = 200
const MAX_BATCH_BYTES = 16 * 1024 * 1024

export const PAUSE_MS = 250
export const RECHECK_MS = 300_000
const REPORT_MS = 120_000

/** The columns by which an entry is listed and searched. */
export const entryIndex = (bytes: Uint8Array): EntryIndex => {
  const { status, ...read } = readCacheBody(bytes)
  return { ...read, parseable: status === 'parsed', opaque: status === 'opaque' }
}

/** Indexes one batch of entries that have no index yet, or an index of an older version. Returns their number. */
export const indexBatch = async (store: CacheStore, rules: number): Promise<number> =>
  indexListed(store, rules, await store.read(listUnindexed(rules, MAX_BATCH)), MAX_BATCH_BYTES)

/** Indexes the first of some entries: one, and more up to `maxBytes` of all. Returns their number. */
export const indexListed = async (
  store: CacheStore,
  rules: number,
  listed: readonly UnindexedEntry[],
  maxBytes: number,
): Promise<number> => {
  let bytes = 0
  const batch = listed.filter(({ size }, i) => {
    bytes += size
    return i === 0 || bytes <= maxBytes
  })
  if (batch.length === 0) return 0
  const bodies = await store.read(listBodies(batch.map(({ entry_no }) => entry_no)))
  await store.change(
    indexEntries(
      bodies.map(({ entry_no, bytes: body }) => ({ entry_no, index: entryIndex(body) })),
      rules,
    ),
  )
  return batch.length
}

type Indexing = {
  readonly store: CacheStore
  readonly rules: number
  /** Resolves after `ms` milliseconds. Rejects if the wait is aborted. */
  readonly wait: (ms: number) => Promise<void>
  readonly clock: () => number
  readonly log: (message: string, fields: Readonly<Record<string, unknown>>) => void
}

/**
 * Indexes entries forever, in small batches with pauses: entries that are not indexed first, then those of an older
 * version. Several replicas may do so concurrently. Ends when `wait` rejects; a batch that fails is logged and tried
 * again later.
 */
export const keepIndexing = async ({ store, rules, wait, clock, log }: Indexing): Promise<never> => {
  let reportedAt = Number.NEGATIVE_INFINITY
  let indexed = 0
  const report = async (message: string): Promise<void> => {
    reportedAt = clock()
    log(message, {
      indexed,
      unindexed: await store.read(findTotal('unindexed')),
      outdated: await store.read(countOutdated(rules)),
    })
  }
  const indexNext = async (): Promise<number> => {
    const done = await indexBatch(store, rules)
    indexed += done
    if (done > 0 && clock() - reportedAt >= REPORT_MS) await report('indexing cache entries')
    if (done === 0 && indexed > 0) {
      await report('cache entries are indexed')
      indexed = 0
      reportedAt = Number.NEGATIVE_INFINITY
    }
    return done
  }
  for (;;) {
    const done = await indexNext().catch((error: unknown) => {
      log('cache entries cannot be indexed', { error: String(error) })
      return 0
    })
    await wait(done === 0 ? RECHECK_MS : PAUSE_MS)
  }
}
