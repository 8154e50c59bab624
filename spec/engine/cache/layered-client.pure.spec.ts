import { describe, expect, it } from 'vitest'
import { CacheUnavailable, type CacheClient } from '../../../engine/cache/client.ts'
import { layeredCacheClient } from '../../../engine/cache/layered-client.ts'

const KEY = `sha256:${'0'.repeat(64)}`
const entry = (output: string) => Buffer.from(JSON.stringify({ created_at: '2026-01-01T00:00:00Z', output }))
const [ONE, TWO] = [entry('one'), entry('two')]

/** A cache in memory that can be made to fail. */
const inMemory = (entries: Readonly<Record<string, Uint8Array>> = {}) => {
  const stored = new Map(Object.entries(entries))
  const failing = { reads: false, writes: false }
  const requests: string[] = []
  const client: CacheClient = {
    get: async (key) => {
      requests.push('get')
      if (failing.reads) throw new CacheUnavailable('no reads')
      return stored.get(key) ?? null
    },
    put: async (key, bytes) => {
      requests.push('put')
      if (failing.writes) throw new CacheUnavailable('no writes')
      if (stored.has(key)) return false
      stored.set(key, bytes)
      return true
    },
  }
  return { ...client, stored, failing, requests }
}

const setUp = (
  inLocal: Readonly<Record<string, Uint8Array>> = {},
  inRemote: Readonly<Record<string, Uint8Array>> = {},
) => {
  const [local, remote] = [inMemory(inLocal), inMemory(inRemote)]
  const faults: string[] = []
  const ended: string[] = []
  return {
    local,
    remote,
    faults,
    ended,
    cache: layeredCacheClient({
      local,
      remote,
      onFault: ({ message }) => void faults.push(message),
      onEnd: (use) => void ended.push(use),
    }),
  }
}

describe('layeredCacheClient', () => {
  it('returns a local entry without asking the shared cache', async () => {
    const { cache, remote } = setUp({ [KEY]: ONE }, { [KEY]: TWO })
    expect(await cache.get(KEY)).toBe(ONE)
    expect(remote.requests).toEqual([])
  })

  it('returns a shared entry and stores a copy', async () => {
    const { cache, local } = setUp({}, { [KEY]: TWO })
    expect(await cache.get(KEY)).toBe(TWO)
    expect(local.stored.get(KEY)).toBe(TWO)
  })

  it('returns null if neither cache has the entry', async () => expect(await setUp().cache.get(KEY)).toBeNull())

  it('writes to both caches and returns the local result', async () => {
    const { cache, local, remote } = setUp({}, { [KEY]: TWO })
    expect(await cache.put(KEY, ONE)).toBe(true)
    expect([local.stored.get(KEY), remote.stored.get(KEY)]).toEqual([ONE, TWO])
  })

  it('treats a fault of the shared cache as a miss, keeps writing, and reports it once', async () => {
    const { cache, local, remote, faults } = setUp()
    Object.assign(remote.failing, { reads: true, writes: true })
    expect(await cache.get(KEY)).toBeNull()
    expect(await cache.get(KEY)).toBeNull()
    expect(await cache.put(KEY, ONE)).toBe(true)
    expect(local.stored.get(KEY)).toBe(ONE)
    expect(faults).toEqual(['no reads'])
  })

  it('returns a shared entry even if no copy can be stored', async () => {
    const { cache, local, faults } = setUp({}, { [KEY]: TWO })
    local.failing.writes = true
    expect(await cache.get(KEY)).toBe(TWO)
    expect(faults).toEqual(['no writes'])
  })

  it.each(['<html>please sign in</html>', '{}', '{"created_at":"2026-01-01T00:00:00Z"}', '', '\u00ff'])(
    'neither uses nor copies %j of the shared cache',
    async (text) => {
      const { cache, local, faults } = setUp({}, { [KEY]: Buffer.from(text, 'latin1') })
      expect(await cache.get(KEY)).toBeNull()
      expect(await cache.get(KEY)).toBeNull()
      expect(local.stored.size).toBe(0)
      expect(faults).toEqual([expect.stringMatching(/^the shared cache answers with what is no entry: /)])
      expect(await cache.put(KEY, ONE)).toBe(true)
      expect(await cache.get(KEY)).toBe(ONE)
    },
  )

  it('throws a fault of the local cache', async () => {
    const { cache, local } = setUp({}, { [KEY]: TWO })
    Object.assign(local.failing, { reads: true, writes: true })
    await expect(cache.get(KEY)).rejects.toThrow('no reads')
    await expect(cache.put(KEY, ONE)).rejects.toThrow('no writes')
  })
})

describe('a shared cache that fails', () => {
  const together = (count: number, work: () => Promise<unknown>) => Promise.all(Array.from({ length: count }, work))

  it('five times in a row is not asked any more, and that is said', async () => {
    const { cache, remote, faults, ended } = setUp()
    remote.failing.reads = true
    for (let time = 0; time < 4; time++) await cache.get(KEY)
    remote.failing.reads = false
    await cache.get(KEY)
    remote.failing.reads = true
    for (let time = 0; time < 9; time++) expect(await cache.get(KEY)).toBeNull()
    expect(remote.requests).toHaveLength(4 + 1 + 5)
    expect(faults).toEqual(['no reads'])
    expect(ended).toEqual(['read'])
  })
  it('in many calls at once fails once', async () => {
    const { cache, remote, faults, ended } = setUp({}, { [KEY]: ONE })
    remote.failing.reads = true
    await together(32, () => cache.get(KEY))
    expect(ended).toEqual([])
    for (let time = 0; time < 3; time++) await together(32, () => cache.get(KEY))
    remote.failing.reads = false
    expect(await cache.get(KEY)).toBe(ONE)
    expect([faults, ended]).toEqual([['no reads'], []])
  })
  it('at writes is still read', async () => {
    const { cache, remote, ended } = setUp({}, { [KEY]: ONE })
    remote.failing.writes = true
    for (let time = 0; time < 9; time++) await cache.put(`sha256:${String(time).padStart(64, '1')}`, TWO)
    expect(remote.requests).toHaveLength(5)
    expect(ended).toEqual(['written'])
    expect(await cache.get(KEY)).toBe(ONE)
  })
})
