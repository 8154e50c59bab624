import { beforeEach, describe, expect, it } from 'vitest'
import { sharedCache, type CacheWrites, type SharedCache } from '../../../runtime/cache/shared-cache.ts'
import type { Query, Reader } from '../../../storage/storage.ts'

type Use = Parameters<CacheWrites['note']>[0]

let bodies: Map<string, Buffer>
let noted: Use[]
let failing: Error | null
let now: number
let reads: number
/** Runs during each read, before it settles. */
let onRead: () => void
let cache: SharedCache

// A store with one body, which it returns for every key.
const reader: Reader = {
  dialect: 'sqlite',
  read: async <T>(_: Query<T>) => {
    reads++
    const found = (bodies.get('x') ?? null) as T
    onRead()
    return found
  },
  readAll: () => Promise.reject(new Error('not used')),
}
const writes: CacheWrites = {
  put: async () => true,
  remove: async () => true,
  evict: async () => ({ pruned: 0, bytes: 0, failed: null }),
  wouldEvict: async () => 0,
  preview: async () => {
    throw new Error('no spec previews an eviction here')
  },
  settle: async () => {},
  note: async (use) => {
    if (failing) throw failing
    noted.push(use)
  },
}
beforeEach(() => {
  bodies = new Map()
  noted = []
  failing = null
  now = 1000
  reads = 0
  onRead = () => {}
  cache = sharedCache({ reader, writes, now: () => now, maxHotBytes: 100_000 })
})

describe('a body that was looked up', () => {
  it('stays in memory until it is evicted', async () => {
    bodies.set('x', Buffer.from('text'))
    for (const _ of [1, 2, 3]) expect(String((await cache.get('k'))?.bytes)).toBe('text')
    expect(reads).toBe(1)
    expect(cache.hot('k')).toBeDefined()
    cache.forget(['k'])
    bodies.delete('x')
    expect([cache.hot('k'), await cache.get('k')]).toEqual([undefined, null])
  })

  it('does not stay in memory if it was evicted during the read', async () => {
    bodies.set('x', Buffer.from('text'))
    onRead = () => cache.forget(['k'])
    expect(await cache.get('k')).not.toBeNull()
    expect(cache.hot('k')).toBeUndefined()
  })

  it('does not stay in memory if it is larger than the limit for all bodies together', async () => {
    bodies.set('x', Buffer.alloc(200_000))
    expect((await cache.get('k'))?.bytes.length).toBe(200_000)
    expect(cache.hot('k')).toBeUndefined()
  })
})

describe('lookups', () => {
  const lookUp = async (): Promise<void> => {
    bodies.set('x', Buffer.from('text'))
    await cache.get('a')
    now = 2000
    await cache.get('a')
    await cache.has('b')
    bodies.clear()
    await cache.get('c')
    await cache.has('c')
  }

  it('are collected until a flush, each key with its last access', async () => {
    await lookUp()
    expect(noted).toEqual([])
    await cache.flush()
    expect(noted).toEqual([
      {
        hits: 2,
        misses: 1,
        accesses: [
          ['a', 2000],
          ['b', 2000],
        ],
      },
    ])
    await cache.flush()
    expect(noted).toHaveLength(1)
  })

  it('are flushed in batches, and counted once', async () => {
    for (let i = 0; i < 450; i++) cache.noteServed(`${i}`, 'GET')
    await cache.flush()
    expect(noted.map(({ hits, accesses }) => [hits, accesses.length])).toEqual([
      [450, 200],
      [0, 200],
      [0, 50],
    ])
  })

  it('are not lost if a flush fails', async () => {
    await lookUp()
    failing = new Error('disk full')
    await expect(cache.flush()).rejects.toThrow('disk full')
    failing = null
    now = 3000
    cache.noteServed('b', 'HEAD')
    await cache.flush()
    expect(noted.map(({ hits, misses, accesses }) => [hits, misses, new Map(accesses)])).toEqual([
      [
        2,
        1,
        new Map([
          ['a', 2000],
          ['b', 3000],
        ]),
      ],
    ])
  })

  it('are flushed before an eviction', async () => {
    await lookUp()
    await cache.evict({
      selection: { created_before: null, created_from: null, empty_reasons: null, model: null, kind: null },
      target_bytes: 0,
    })
    expect(noted).toHaveLength(1)
  })

  it('are added to the counters of the store, even during a flush', async () => {
    let stored = 0
    const read = async (): Promise<number> => stored
    await lookUp()
    expect(await cache.withPendingCounts(read)).toEqual({ found: 0, hits: 2, misses: 1 })

    // A flush starts and ends during the read of the store.
    let runs = 0
    const crossed = await cache.withPendingCounts(async () => {
      const found = stored
      if (runs++ === 0) {
        await cache.flush()
        stored = 2
      }
      return found
    })
    expect([crossed, runs]).toEqual([{ found: 2, hits: 0, misses: 0 }, 2])
    expect(noted).toHaveLength(1)

    // A running flush fails: its counters are pending again.
    cache.noteServed('a', 'GET')
    failing = new Error('disk full')
    const failed = cache.flush()
    expect(await cache.withPendingCounts(read)).toEqual({ found: 2, hits: 1, misses: 0 })
    await expect(failed).rejects.toThrow('disk full')
  })
})
