import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { evict } from '../../../runtime/cache/eviction.ts'
import { findTotal } from '../../../storage/cache/entries.ts'
import type { CacheStore } from '../../../storage/cache/store.ts'
import type { CacheSelection } from '../../../storage/cache/selection.ts'
import { aBody } from '../../support/documents/cache-bodies.ts'
import { openCacheStore, putAll, type SpecCache } from '../../support/stores/cache-store.ts'

const NOTHING: CacheSelection = {
  created_before: null,
  created_from: null,
  empty_reasons: null,
  model: null,
  kind: null,
}

let cache: SpecCache
let store: CacheStore
/** How many entries each transaction removed. */
let removed: number[]
let between: () => Promise<void>
let stopping: AbortController
beforeEach(async () => {
  cache = await openCacheStore()
  removed = []
  stopping = new AbortController()
  between = async () => {}
  store = {
    ...cache.store,
    change: async (change) => {
      await between()
      return cache.store.change(change)
    },
  }
  await putAll(
    cache.store,
    Object.fromEntries(Array.from({ length: 450 }, (_, i) => [`${i}`, aBody({ model: i % 3 === 0 ? 'm' : 'n' })])),
  )
})
afterEach(() => cache.close())

const run = (selection: Partial<CacheSelection>, target_bytes: number | null = null) =>
  evict(
    store,
    { selection: { ...NOTHING, ...selection }, target_bytes },
    {
      onRemoved: ({ digests }) => removed.push(digests.length),
      signal: stopping.signal,
    },
  )

describe('evicting entries', () => {
  it('runs in short transactions', async () => {
    expect(await run({ model: 'n' })).toEqual({ pruned: 300, bytes: 300 * aBody({ model: 'n' }).length, failed: null })
    expect(removed).toEqual([100, 100, 100])
    expect(await store.read(findTotal('entries'))).toBe(150)
    removed = []
    expect((await run({}, 0)).pruned).toBe(150)
    expect(removed).toEqual([100, 50])
  })

  it('removes nothing without a selection', async () => {
    for (const selection of [{}, { empty_reasons: [] }, { empty_reasons: [], model: 'm' }])
      expect(await run(selection)).toEqual({ pruned: 0, bytes: 0, failed: null })
  })

  it('ignores entries that arrive meanwhile', async () => {
    let n = 0
    between = async () => void (await putAll(cache.store, { [`late ${n++}`]: aBody({ model: 'n' }) }))
    expect((await run({ model: 'n' })).pruned).toBe(300)
    expect(n).toBe(3)
  })

  it('ends between two transactions on an abort, and returns what it removed', async () => {
    between = async () => void (removed.length === 1 && stopping.abort())
    expect((await run({ model: 'n' })).pruned).toBe(200)
    expect(await store.read(findTotal('entries'))).toBe(250)
  })

  it('returns a failure with what it removed, or throws it if nothing was removed', async () => {
    between = async () => {
      if (removed.length === 2) throw new Error('no room')
    }
    expect(await run({ model: 'n' })).toEqual({
      pruned: 200,
      bytes: 200 * aBody({ model: 'n' }).length,
      failed: 'Error: no room',
    })
    await expect(run({ model: 'n' })).rejects.toThrow('no room')
    expect(await store.read(findTotal('entries'))).toBe(250)
  })

  it('removes each entry once when two evictions run concurrently', async () => {
    const [a, b] = await Promise.all([run({ model: 'n' }), run({ model: 'n' })])
    expect(a.pruned + b.pruned).toBe(300)
    const [c, d] = await Promise.all([run({}, 1000), run({}, 1000)])
    expect(c.pruned + d.pruned).toBe(150 - Math.floor(1000 / aBody({ model: 'm' }).length))
  })
})
