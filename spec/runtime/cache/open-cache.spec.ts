import { readdirSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSharedCache, startSharedCache } from '../../../runtime/cache/open-cache.ts'
import { findCacheStats } from '../../../queries/cache/facets.ts'
import { aBody, cacheKeyOf } from '../../support/documents/cache-bodies.ts'
import { freshCacheLocation, type CacheLocation } from '../../support/stores/cache-store.ts'
import { onPostgres } from '../../support/stores/open-fresh.ts'

let location: CacheLocation
beforeEach(async () => void (location = await freshCacheLocation()))
afterEach(() => location.close())

describe.each([
  ['in the calling thread', false],
  ['in a thread of its own', true],
] as const)('a cache that is written %s', (_, threads) => {
  const warned: string[] = []
  const open = async () => {
    warned.length = 0
    const options = { store: location.storeLocation, warn: (message: string) => warned.push(message) }
    if (!threads) return openSharedCache(options)
    const started = startSharedCache(options)
    await started.whenReady
    return started
  }

  it('keeps entries and counters across a restart', async () => {
    const first = await open()
    expect(await first.sharedCache.put(cacheKeyOf('a'), new Uint8Array(aBody()))).toBe(true)
    expect(await first.sharedCache.put(cacheKeyOf('a'), new Uint8Array(aBody({ output: 'other' })))).toBe(false)
    await first.sharedCache.get(cacheKeyOf('a'))
    await first.sharedCache.get(cacheKeyOf('b'))
    // Closing flushes the counters.
    await first.close()
    expect(readdirSync(location.dir)).toEqual(onPostgres ? [] : ['cache.db'])

    const second = await open()
    expect(Buffer.from((await second.sharedCache.get(cacheKeyOf('a')))?.bytes ?? [])).toEqual(aBody())
    await second.sharedCache.flush()
    expect(await findCacheStats(second.sharedCache.reader)).toMatchObject({ entries: 1, hits: 2, misses: 1 })
    expect(warned).toEqual([])
    await second.close()
  })

  it('stores large bodies', async () => {
    const { sharedCache, close } = await open()
    const bodies = Array.from({ length: 6 }, (_value, i) => Buffer.alloc(4 * 1024 * 1024, `${i}`))
    await Promise.all(bodies.map((body, i) => sharedCache.put(cacheKeyOf(`${i}`), new Uint8Array(body))))
    for (const [i, body] of bodies.entries())
      expect(body.equals((await sharedCache.get(cacheKeyOf(`${i}`)))?.bytes ?? Buffer.alloc(0))).toBe(true)
    await close()
  })

  it('stores slices of a larger buffer, and leaves the rest of the buffer usable', async () => {
    const { sharedCache, close } = await open()
    for (const size of [15, 16, 17, 24, 31, 32, 33].map((kib) => kib * 1024)) {
      const body = Buffer.allocUnsafe(size).fill(`${size}`)
      const expected = Buffer.from(body.toString())
      expect(await sharedCache.put(cacheKeyOf(`${size}`), body)).toBe(true)
      expect(expected.equals((await sharedCache.get(cacheKeyOf(`${size}`)))?.bytes ?? Buffer.alloc(0))).toBe(true)
    }
    await close()
  })

  it('ends an eviction early on `stop`, and still stores entries until it is closed', async () => {
    const { sharedCache, stop, close } = await open()
    const keys = Array.from({ length: 300 }, (_value, i) => cacheKeyOf(`${i}`))
    await Promise.all(keys.map((key) => sharedCache.put(key, new Uint8Array(aBody()))))
    const evicting = sharedCache.evict({
      selection: { created_before: null, created_from: null, empty_reasons: null, model: null, kind: 'provider' },
      target_bytes: null,
    })
    stop()
    expect((await evicting).pruned).toBeLessThan(300)
    expect(await sharedCache.put(cacheKeyOf('other'), new Uint8Array(aBody()))).toBe(true)
    await close()
  })

  it('drops a body from memory before its removal settles', async () => {
    const { sharedCache, close } = await open()
    for (const name of ['a', 'b']) {
      await sharedCache.put(cacheKeyOf(name), new Uint8Array(aBody()))
      await sharedCache.get(cacheKeyOf(name))
    }
    await sharedCache.remove(cacheKeyOf('a'))
    expect(sharedCache.hot(cacheKeyOf('a'))).toBeUndefined()
    const { pruned } = await sharedCache.evict({
      selection: { created_before: null, created_from: null, empty_reasons: null, model: null, kind: 'provider' },
      target_bytes: null,
    })
    expect([pruned, sharedCache.hot(cacheKeyOf('b')), await sharedCache.get(cacheKeyOf('b'))]).toEqual([
      1,
      undefined,
      null,
    ])
    await close()
  })
})
