import { beforeEach, describe, expect, it } from 'vitest'
import { sharedCache } from '../../../runtime/cache/shared-cache.ts'
import type { CacheWrites, SharedCache } from '../../../runtime/cache/shared-cache.ts'
import type { Query, Reader } from '../../../storage/storage.ts'

type Use = Parameters<CacheWrites['note']>[0]

let bodies: Map<string, Buffer>
let noted: Use[]
let failing: Error | null
let now: number
let reads: number
/** What happens between a read and its answer. */
let reading: () => void
let cache: SharedCache

// A store of one body: whatever key is asked for, it is that.
const reader: Reader = {
  dialect: 'sqlite',
  read: async <T>(_: Query<T>) => {
    reads++
    const found = (bodies.get('x') ?? null) as T
    reading()
    return found
  },
  readAll: () => Promise.reject(new Error('not asked for')),
}
const writes: CacheWrites = {
  put: async () => true,
  remove: async () => true,
  evict: async () => ({ pruned: 0, bytes: 0, failed: null }),
  wouldEvict: async () => 0,
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
  reading = () => {}
  cache = sharedCache({ reader, writes, now: () => now, hotBytes: 100_000 })
})

describe('a body that was asked for', () => {
  it('stays in memory until it is gone', async () => {
    bodies.set('x', Buffer.from('text'))
    for (const _ of [1, 2, 3]) expect(String((await cache.get('k'))?.bytes)).toBe('text')
    expect(reads).toBe(1)
    expect(cache.hot('k')).toBeDefined()
    cache.gone(['k'])
    bodies.delete('x')
    expect([cache.hot('k'), await cache.get('k')]).toEqual([undefined, null])
  })

  it('does not stay where it was removed while it was read', async () => {
    bodies.set('x', Buffer.from('text'))
    reading = () => cache.gone(['k'])
    expect(await cache.get('k')).not.toBeNull()
    expect(cache.hot('k')).toBeUndefined()
  })

  it('does not stay where it is larger than all there is room for', async () => {
    bodies.set('x', Buffer.alloc(200_000))
    expect((await cache.get('k'))?.bytes.length).toBe(200_000)
    expect(cache.hot('k')).toBeUndefined()
  })
})

describe('lookups', () => {
  const look = async (): Promise<void> => {
    bodies.set('x', Buffer.from('text'))
    await cache.get('a')
    now = 2000
    await cache.get('a')
    await cache.has('b')
    bodies.clear()
    await cache.get('c')
    await cache.has('c')
  }

  it('gather until they are flushed, each key with its last access', async () => {
    await look()
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

  it('are flushed a few at a time, and counted once', async () => {
    for (let i = 0; i < 450; i++) cache.served(`${i}`, 'GET')
    await cache.flush()
    expect(noted.map(({ hits, accesses }) => [hits, accesses.length])).toEqual([
      [450, 200],
      [0, 200],
      [0, 50],
    ])
  })

  it('are not lost where flushing fails', async () => {
    await look()
    failing = new Error('disk full')
    await expect(cache.flush()).rejects.toThrow('disk full')
    failing = null
    now = 3000
    cache.served('b', 'HEAD')
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

  it('are flushed before anything is evicted', async () => {
    await look()
    await cache.evict({
      selection: { created_before: null, created_from: null, empty_reasons: null, model: null, kind: null },
      target_bytes: 0,
    })
    expect(noted).toHaveLength(1)
  })

  it('are added to what the store has, however a flush falls', async () => {
    let stored = 0
    const read = async (): Promise<number> => stored
    await look()
    expect(await cache.withGathered(read)).toEqual({ found: 0, hits: 2, misses: 1 })

    // One begins while the store is read, and is through before that is answered.
    let runs = 0
    const crossed = await cache.withGathered(async () => {
      const found = stored
      if (runs++ === 0) {
        await cache.flush()
        stored = 2
      }
      return found
    })
    expect([crossed, runs]).toEqual([{ found: 2, hits: 0, misses: 0 }, 2])
    expect(noted).toHaveLength(1)

    // One is under way, and fails: what it took is here again.
    cache.served('a', 'GET')
    failing = new Error('disk full')
    const failed = cache.flush()
    expect(await cache.withGathered(read)).toEqual({ found: 2, hits: 1, misses: 0 })
    await expect(failed).rejects.toThrow('disk full')
  })
})
