import { mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cacheDirectoryTarget } from '../../../cli/cache/directory-target.ts'
import { cacheServerTarget } from '../../../cli/cache/server-target.ts'
import type { CacheTarget, Listing, Pruning } from '../../../cli/cache/target.ts'
import { cachePath } from '../../../domain/cache/key.ts'
import { startServer } from '../../support/servers/server.ts'

const key = (digit: string): string => `sha256:${digit.repeat(64)}`
const bytes = (fields: Readonly<Record<string, unknown>> = {}): Buffer =>
  Buffer.from(
    JSON.stringify({
      created_at: '2026-05-03T22:10:00Z',
      service_version: '1.4.0',
      kind: 'provider',
      model: 'm-small',
      cost_usd: 0.5,
      output: 'Yes.',
      raw: { id: 'r1' },
      ...fields,
    }),
  )
let folder: string
afterAll(async () => void (await server.stop()))
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ers-cache-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const service = (token = server.token): CacheTarget =>
  cacheServerTarget(server.url, token, { signal: new AbortController().signal })
const directory = (now = Date.now): CacheTarget => cacheDirectoryTarget(join(folder, 'entries'), { now })

const listed = async (cache: CacheTarget, listing: Listing = {}, limit = 10) =>
  (await cache.list(listing, limit)).entries.map((entry) => entry.key.at(-1))
const server = await startServer()

describe.each([
  ['a service', () => service()],
  ['a directory', () => directory()],
] as const)('the cache of %s', (_, open) => {
  let cache: CacheTarget
  const prune = (pruning: Pruning) => cache.prune(pruning)
  beforeEach(async () => {
    cache = open()
    await cache.put(key('0'), bytes())
    await prune({ target_bytes: 0 })
  })

  it('returns stored bytes unchanged, and keeps the first body', async () => {
    const all = Uint8Array.from({ length: 256 }, (__, i) => i)
    expect(await cache.put(key('a'), all)).toBe(true)
    expect(await cache.put(key('a'), bytes())).toBe(false)
    expect(new Uint8Array((await cache.get(key('a'))) ?? [])).toEqual(all)
  })

  it('stores an empty body', async () => {
    await cache.put(key('a'), new Uint8Array())
    expect(await cache.get(key('a'))).toHaveLength(0)
  })

  it('returns null for an unknown key', async () => {
    expect(await cache.get(key('d'))).toBeNull()
    expect(await cache.show(key('d'), false)).toBeNull()
  })

  it('lists entries by filter and order', async () => {
    await cache.put(key('a'), bytes())
    await cache.put(key('b'), bytes({ kind: 'judge', cost_usd: 2 }))
    await cache.put(key('c'), bytes({ model: 'm-large', cost_usd: 1, empty_reason: 'blank' }))
    expect(await listed(cache)).toHaveLength(3)
    expect(await listed(cache, { sort: 'cost', order: 'asc' })).toEqual(['a', 'c', 'b'])
    expect(await listed(cache, { sort: 'cost' }, 2)).toEqual(['b', 'c'])
    expect(await listed(cache, { kind: 'judge' })).toEqual(['b'])
    expect(await listed(cache, { model: 'm-large' })).toEqual(['c'])
    expect(await listed(cache, { empty_reason: 'blank' })).toEqual(['c'])
    expect(await listed(cache, { until: 0 })).toEqual([])
  })

  it('shows a full entry, with the raw provider response on request', async () => {
    await cache.put(key('a'), bytes())
    expect(await cache.show(key('a'), false)).toMatchObject({
      key: key('a'),
      kind: 'provider',
      output: 'Yes.',
      raw: null,
    })
    expect(await cache.show(key('a'), true)).toMatchObject({ raw: { id: 'r1' } })
  })

  it('returns totals', async () => {
    expect(await cache.stats()).toMatchObject({ entries: 0, total_bytes: 0, oldest_entry_at: null })
    await cache.put(key('a'), bytes())
    expect(await cache.stats()).toMatchObject({
      entries: 1,
      total_bytes: bytes().length,
      oldest_entry_at: expect.stringContaining('T') as string,
    })
  })

  it('prunes by the given rules only', async () => {
    await cache.put(key('a'), bytes({ empty_reason: 'refusal' }))
    await cache.put(key('b'), bytes({ empty_reason: 'blank', kind: 'judge' }))
    await cache.put(key('c'), bytes({ model: 'm-large' }))
    expect(await prune({ older_than_days: 1 })).toBe(0)
    expect(await prune({ empty_reasons: [] })).toBe(0)
    expect(await prune({ empty_reasons: ['refusal', 'blank'], kind: 'provider' })).toBe(1)
    expect(await prune({ model: 'm-large', newer_than_days: 1 })).toBe(1)
    expect(await listed(cache)).toEqual(['b'])
    expect(await prune({ target_bytes: 0 })).toBe(1)
  })
})

describe('the cache of a service', () => {
  it('lists more than one page', async () => {
    const cache = service()
    const keys = Array.from({ length: 205 }, (_, i) => `sha256:${i.toString(16).padStart(64, '0')}`)
    await Promise.all(keys.map((each) => cache.put(each, bytes())))
    expect((await cache.list({}, 203)).entries).toHaveLength(203)
    expect(new Set((await cache.list({}, 1000)).entries.map((entry) => entry.key)).size).toBeGreaterThanOrEqual(205)
  })

  it('prunes by its configured limits', async () => expect(await service().prune(null)).toBe(0))

  it('reports a missing or insufficient credential', async () => {
    await expect(service('spec-read-token').list({}, 1)).rejects.toThrow(
      /rejects the request: 403 .*check SERVICE_TOKEN/,
    )
    await expect(service('').stats()).rejects.toThrow(/rejects the request: 401 .*SERVICE_TOKEN is not set/)
    await expect(service('spec-read-token').put(key('a'), bytes())).rejects.toThrow('answers 403')
  })

  it('reports a body that is too large', async () =>
    expect(service().put(key('e'), Buffer.alloc(4_194_305))).rejects.toThrow('answers 413'))
})

describe('the cache of a directory', () => {
  it('prunes the oldest first, by the time of the file', async () => {
    const now = Date.UTC(2026, 4, 10)
    const cache = directory(() => now)
    for (const [days, digit] of ['a', 'b', 'c', 'd'].entries()) {
      await cache.put(key(digit), Buffer.from('four'))
      const at = now / 1000 - days * 86_400
      utimesSync(join(folder, 'entries', cachePath(key(digit))), at, at)
    }
    expect(await cache.prune({ older_than_days: 2 })).toBe(1)
    expect(await listed(cache)).toEqual(['a', 'b', 'c'])
    expect(await cache.prune({ older_than_days: 0, newer_than_days: 1 })).toBe(1)
    expect(await listed(cache)).toEqual(['a', 'c'])
    expect(await cache.prune({ target_bytes: 7 })).toBe(1)
    expect(await listed(cache)).toEqual(['a'])
  })

  it('has no configured limits', async () => {
    await directory().put(key('a'), bytes())
    await expect(directory().prune(null)).rejects.toThrow('no configured limits')
  })

  it('reports a missing directory', async () => expect(directory().stats()).rejects.toThrow('cannot be read: ENOENT'))
})
