import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openCacheWriter, type CacheWriter } from '../../../runtime/cache/cache-writer.ts'
import { keyDigest, findBody } from '../../../storage/cache/entries.ts'
import type { CacheStore } from '../../../storage/cache/store.ts'
import { aBody, cacheKeyOf } from '../../support/documents/cache-bodies.ts'
import { openCacheStore, type SpecCache } from '../../support/stores/cache-store.ts'

let cache: SpecCache
let writer: CacheWriter
let changes: number
let removed: string[]
let failure: Error | null
beforeEach(async () => {
  cache = await openCacheStore()
  changes = 0
  removed = []
  failure = null
  const store: CacheStore = {
    ...cache.store,
    change: (change) => {
      // New entries may be indexed meanwhile.
      if ('stored' in change.facts) changes++
      if (failure) return Promise.reject(failure)
      return cache.store.change(change)
    },
  }
  writer = openCacheWriter({ store, now: () => 1000, onRemoved: (keys) => removed.push(...keys), log: () => {} })
})
afterEach(async () => {
  await writer.close()
  await cache.close()
})

describe('putting entries', () => {
  it('uses one transaction for bodies that arrive together, and stores the first of each key', async () => {
    const first = await Promise.all(
      Array.from({ length: 50 }, (_, i) => writer.put(cacheKeyOf(`${i % 25}`), aBody({ output: `${i}` }))),
    )
    expect(first).toEqual(Array.from({ length: 50 }, (_, i) => i < 25))
    expect(changes).toBe(1)
    expect(await cache.store.read(findBody(keyDigest(cacheKeyOf('3'))))).toEqual(aBody({ output: '3' }))
  })

  it('limits entries and bytes of a transaction', async () => {
    await Promise.all(Array.from({ length: 130 }, (_, i) => writer.put(cacheKeyOf(`${i}`), Buffer.from('x'))))
    expect(changes).toBe(3)
    changes = 0
    await Promise.all(
      Array.from({ length: 5 }, (_, i) => writer.put(cacheKeyOf(`large ${i}`), Buffer.alloc(400 * 1024))),
    )
    expect(changes).toBe(3)
  })

  it('rejects all entries of a transaction that fails, and stores later ones', async () => {
    failure = new Error('no room')
    const answers = await Promise.allSettled([
      writer.put(cacheKeyOf('a'), aBody()),
      writer.put(cacheKeyOf('b'), aBody()),
    ])
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    failure = null
    expect(await writer.put(cacheKeyOf('a'), aBody())).toBe(true)
  })
})

it('removing entries reports the removed keys before it settles', async () => {
  await writer.put(cacheKeyOf('a'), aBody())
  expect(await writer.remove(cacheKeyOf('b'))).toBe(false)
  expect(await writer.remove(cacheKeyOf('a'))).toBe(true)
  expect(removed).toEqual([cacheKeyOf('a')])
})
