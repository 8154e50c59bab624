import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openCacheWriter } from '../../../runtime/cache/cache-writer.ts'
import type { CacheWriter } from '../../../runtime/cache/cache-writer.ts'
import { digestOf, findBody } from '../../../storage/cache/entries.ts'
import type { CacheStore } from '../../../storage/cache/store.ts'
import { aBody, cacheKeyOf } from '../../support/documents/cache-bodies.ts'
import { openCacheStore } from '../../support/stores/cache-store.ts'
import type { SpecCache } from '../../support/stores/cache-store.ts'

let cache: SpecCache
let side: CacheWriter
let changes: number
let gone: string[]
let refuse: Error | null
beforeEach(async () => {
  cache = await openCacheStore()
  changes = 0
  gone = []
  refuse = null
  const store: CacheStore = {
    ...cache.store,
    change: (change) => {
      changes++
      if (refuse) return Promise.reject(refuse)
      return cache.store.change(change)
    },
  }
  side = openCacheWriter({ store, now: () => 1000, onRemoved: (keys) => gone.push(...keys), log: () => {} })
})
afterEach(async () => {
  await side.close()
  await cache.close()
})

describe('putting entries', () => {
  it('keeps what comes at once in one transaction, and the first of each key', async () => {
    const first = await Promise.all(
      Array.from({ length: 50 }, (_, i) => side.put(cacheKeyOf(`${i % 25}`), aBody({ output: `${i}` }))),
    )
    expect(first).toEqual(Array.from({ length: 50 }, (_, i) => i < 25))
    expect(changes).toBe(1)
    expect(await cache.store.read(findBody(digestOf(cacheKeyOf('3'))))).toEqual(aBody({ output: '3' }))
  })

  it('takes no more into a transaction than so many entries and bytes', async () => {
    await Promise.all(Array.from({ length: 130 }, (_, i) => side.put(cacheKeyOf(`${i}`), Buffer.from('x'))))
    expect(changes).toBe(3)
    changes = 0
    await Promise.all(Array.from({ length: 5 }, (_, i) => side.put(cacheKeyOf(`large ${i}`), Buffer.alloc(400 * 1024))))
    expect(changes).toBe(3)
  })

  it('tells all of a transaction that fails, and goes on', async () => {
    refuse = new Error('no room')
    const answers = await Promise.allSettled([side.put(cacheKeyOf('a'), aBody()), side.put(cacheKeyOf('b'), aBody())])
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    refuse = null
    expect(await side.put(cacheKeyOf('a'), aBody())).toBe(true)
  })
})

describe('removing entries', () => {
  it('tells which keys are gone before it is answered', async () => {
    await side.put(cacheKeyOf('a'), aBody())
    expect(await side.remove(cacheKeyOf('b'))).toBe(false)
    expect(await side.remove(cacheKeyOf('a'))).toBe(true)
    expect(gone).toEqual([cacheKeyOf('a')])
  })
})
