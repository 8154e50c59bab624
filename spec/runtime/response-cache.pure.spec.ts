import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ACCESS, RUNS } from '../../commands/tags.ts'
import { entryOf, responseCache, type Bounds, type Entry } from '../../runtime/response-cache.ts'
import { seenTags } from '../../runtime/seen-tags.ts'

const ROUTE = '/of/it'

const never = new AbortController().signal

/** A cache, with its fills: the spec completes them. */
const aCache = (bounds: Partial<Bounds> = {}, hasUnseenCommits?: () => boolean) => {
  const cache = responseCache(bounds, hasUnseenCommits)
  const fills: Array<{
    readonly signal: AbortSignal
    readonly end: (text: string) => void
    readonly fail: (error: Error) => void
  }> = []
  const ask = (
    key: string,
    tags: readonly string[],
    clientLeft: AbortSignal = never,
    caller = 'ann',
  ): Promise<string> =>
    cache
      .answer(key, caller, tags, clientLeft, (signal) => {
        const { promise, resolve, reject } = Promise.withResolvers<Entry>()
        fills.push({ signal, end: (text) => resolve(entryOf(text, ROUTE)), fail: reject })
        return promise
      })
      .then(({ bytes }) => Buffer.from(bytes).toString())
  /** Returns the response for a key. If the request starts a fill, completes it at once with `text`. */
  const get = async (key: string, tags: readonly string[], text: string): Promise<string> => {
    const before = fills.length
    const asked = ask(key, tags)
    if (fills.length > before) fills.at(-1)?.end(text)
    return asked
  }
  return { cache, fills, ask, get }
}

describe('a cached response', () => {
  it('is returned until one of its tags is invalidated', async () => {
    const { cache, get } = aCache()
    expect(await get('k', ['a', 'b'], 'one')).toBe('one')
    cache.invalidate(['c'])
    expect(await get('k', ['a', 'b'], 'two')).toBe('one')
    cache.invalidate(['c', 'b'])
    expect(cache.find('k')).toBeUndefined()
    expect(await get('k', ['a', 'b'], 'two')).toBe('two')
  })

  it('is returned only before the instant at which it is out of date', async () => {
    let time = 100
    const cache = responseCache({}, undefined, () => time)
    const get = async (text: string) =>
      Buffer.from(
        (await cache.answer('k', 'ann', [], never, async () => ({ ...entryOf(text, ROUTE), until: 200 }))).bytes,
      ).toString()
    expect(await get('one')).toBe('one')
    time = 199
    expect(await get('two')).toBe('one')
    time = 200
    expect(cache.find('k')).toBeUndefined()
    expect(await get('two')).toBe('two')
  })

  it('is invalidated by a change of access or of everything, with any tags', async () => {
    for (const tags of [[ACCESS], null]) {
      const { cache, get } = aCache()
      await get('k', [], 'one')
      cache.invalidate(tags)
      expect(await get('k', [], 'two')).toBe('two')
    }
  })

  it('stays valid after a check, even if the cache forgets earlier invalidations', async () => {
    const { cache, get } = aCache({ tags: 3 })
    await get('k', ['a'], 'one')
    for (let n = 0; n < 50; n++) {
      // As many tags as the cache remembers.
      cache.invalidate([`${n} first`, `${n} second`])
      expect(cache.find('k'), `after ${n}`).toBeDefined()
    }
    cache.invalidate(['a'])
    expect(cache.find('k')).toBeUndefined()
  })

  it('is not cached if a tag was invalidated during its fill, but is returned', async () => {
    const { cache, ask, fills } = aCache()
    const asked = ask('k', ['a'])
    cache.invalidate(['a'])
    fills[0]?.end('before or after')
    expect(await asked).toBe('before or after')
    expect(cache.find('k')).toBeUndefined()
  })

  it('has the ETag of its bytes', () => {
    const etagFor = (answer: Parameters<typeof entryOf>[0]) => entryOf(answer, ROUTE).etag
    expect(etagFor('{}')).toBe(etagFor({ body: Buffer.from('{}'), etag: null }))
    expect(etagFor('{ }')).not.toBe(etagFor('{}'))
    expect(etagFor({ body: '{}', etag: '"made elsewhere"' })).toBe('"made elsewhere"')
  })

  it('retains its bytes only, not a larger buffer', () => {
    expect(entryOf('{}', ROUTE)).toMatchObject({ route: ROUTE })
    expect(entryOf('{}', ROUTE).bytes.buffer.byteLength).toBe(2)
  })
})

describe('a response under restrictions', () => {
  const restrictions = { key: 'one', projects: new Set(['secret']), suites: new Set<string>() }
  const inSet = (project: string) => ({ project, suite: 's', names: [RUNS.name] })
  const [hidden, granted] = [
    seenTags([RUNS], { restrictions, granted: [], limit: null }),
    seenTags([RUNS], { restrictions, granted: [{ project: 'secret', suite: null }], limit: null }),
  ]

  it('is invalidated by a change in a restricted set only if its viewer has a grant', async () => {
    const { cache, get } = aCache()
    expect(cache.distinguish(restrictions)).toBe(restrictions)
    // A copy, as a read for another viewer returns it.
    expect(cache.distinguish({ ...restrictions })).toBe(restrictions)
    await get('hidden', hidden, 'one')
    await get('granted', granted, 'one')
    await get('all', [RUNS.name], 'one')
    cache.invalidate([inSet('secret')])
    expect(['hidden', 'granted', 'all'].map((key) => cache.find(key) !== undefined)).toEqual([true, false, false])
    cache.invalidate([inSet('open')])
    expect(cache.find('hidden')).toBeUndefined()
  })

  it('is invalidated when access changes, and its restrictions are forgotten', async () => {
    for (const everything of [[inSet('secret'), ACCESS], null]) {
      const { cache, get } = aCache()
      cache.distinguish(restrictions)
      await get('k', hidden, 'one')
      cache.invalidate(everything)
      expect(cache.find('k')).toBeUndefined()
      // The cache takes the restrictions from the next read of the store, as a new object.
      const found = { ...restrictions }
      expect(cache.distinguish(found)).toBe(found)
    }
  })
})

describe('concurrent requests for a response', () => {
  it('share one fill', async () => {
    const { ask, fills } = aCache()
    const asked = [ask('k', ['a']), ask('k', ['a']), ask('other', ['a'])]
    expect(fills).toHaveLength(2)
    for (const { end } of fills) end('made')
    expect(await Promise.all(asked)).toEqual(['made', 'made', 'made'])
  })

  it('share no fill between callers, since access may change before it ends', async () => {
    const { ask, fills, cache } = aCache()
    const [first, second] = [ask('k', ['a'], never, 'user 1'), ask('k', ['a'], never, 'user 2')]
    expect(fills).toHaveLength(2)
    cache.invalidate([ACCESS])
    fills[0]?.end('of user 1')
    fills[1]?.end('of user 2')
    expect(await Promise.all([first, second])).toEqual(['of user 1', 'of user 2'])
    expect(cache.find('k')).toBeUndefined()
  })

  it('find nothing cached while there are unseen commits', async () => {
    let hasUnseenCommits = false
    const { get, cache } = aCache({}, () => hasUnseenCommits)
    await get('k', ['a'], 'made')
    hasUnseenCommits = true
    expect(cache.find('k')).toBeUndefined()
    hasUnseenCommits = false
    expect(cache.find('k')).toBeDefined()
  })

  it('start a new fill after an invalidation', async () => {
    const { cache, ask, fills } = aCache()
    const early = ask('k', ['a'])
    cache.invalidate(['b'])
    const same = ask('k', ['a'])
    cache.invalidate(['a'])
    const late = ask('k', ['a'])
    expect(fills).toHaveLength(2)
    // The new fill ends first: the old one must not replace its response.
    fills[1]?.end('new')
    expect(await late).toBe('new')
    fills[0]?.end('old')
    expect(await Promise.all([early, same])).toEqual(['old', 'old'])
    expect(await ask('k', ['a'])).toBe('new')
  })

  it('fail together with their fill; later requests do not fail', async () => {
    const { ask, fills, get } = aCache()
    const asked = [ask('k', []), ask('k', [])]
    fills[0]?.fail(new Error('lost'))
    expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await get('k', [], 'found')).toBe('found')
  })

  it('continue while any client is connected, and are aborted when the last leaves', async () => {
    const { ask, fills, get } = aCache()
    const [first, second] = [new AbortController(), new AbortController()]
    const asked = [ask('k', [], first.signal), ask('k', [], second.signal)]
    first.abort()
    expect(fills[0]?.signal.aborted).toBe(false)
    second.abort()
    expect(fills[0]?.signal.aborted).toBe(true)
    // The next request does not join the aborted fill.
    expect(await get('k', [], 'new')).toBe('new')
    fills[0]?.fail(new Error('aborted'))
    expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await get('k', [], 'newer')).toBe('new')
  })

  it('are aborted at once for a client that has already disconnected', async () => {
    const { ask, fills } = aCache()
    const asked = ask('k', [], AbortSignal.abort())
    expect(fills[0]?.signal.aborted).toBe(true)
    fills[0]?.end('anyway')
    expect(await asked).toBe('anyway')
  })
})

describe('the limits', () => {
  it('apply to all responses together: the least recently used is evicted first', async () => {
    const { cache, get } = aCache({ bytes: 20_000 })
    await get('first', [], 'x'.repeat(5_000))
    await get('second', [], 'x'.repeat(5_000))
    await get('first', [], '')
    for (const key of ['third', 'fourth']) await get(key, [], 'x'.repeat(5_000))
    expect(cache.size()).toBeLessThanOrEqual(20_000)
    expect(cache.find('second')).toBeUndefined()
    expect(cache.find('first')).toBeDefined()
    for (let i = 0; i < 500; i++) await get(`${i}${'k'.repeat(1_000)}`, [], '')
    expect(cache.size()).toBeLessThanOrEqual(20_000)
  })

  it('exclude a large response from the cache, but requests of one caller share its fill', async () => {
    const { cache, ask, fills } = aCache({ entryBytes: 10 })
    const asked = [ask('k', []), ask('k', [])]
    fills[0]?.end('x'.repeat(11))
    expect((await Promise.all(asked)).map(({ length }) => length)).toEqual([11, 11])
    expect(fills).toHaveLength(1)
    expect(cache.find('k')).toBeUndefined()
  })

  it('default to 1 MiB for one response and 32 MiB for all', async () => {
    const { cache, get } = aCache()
    await get('fits', [], 'x'.repeat(1024 * 1024))
    await get('too large', [], 'x'.repeat(1024 * 1024 + 1))
    expect([cache.find('fits'), cache.find('too large')].map((found) => found !== undefined)).toEqual([true, false])
    for (let i = 0; i < 40; i++) await get(`${i}`, [], 'x'.repeat(1024 * 1024 - 2_000))
    expect(cache.size()).toBeGreaterThan(31 * 1024 * 1024)
    expect(cache.size()).toBeLessThanOrEqual(32 * 1024 * 1024)
  })

  it('apply to remembered tags, and no invalidated response is ever returned', async () => {
    const tag = fc.constantFrom('a', 'b', 'c', 'd', 'e', ACCESS)
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('invalidate' as const),
        tags: fc.oneof(
          { weight: 20, arbitrary: fc.array(tag, { maxLength: 3 }) },
          { weight: 1, arbitrary: fc.constant(null) },
        ),
      }),
      fc.record({ kind: fc.constant('ask' as const), tags: fc.uniqueArray(tag, { maxLength: 2 }) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), async (steps, tags) => {
        const { cache, get } = aCache({ tags })
        const versions = new Map<string, number>()
        let all = 0
        const version = (names: readonly string[]) =>
          JSON.stringify([all, ...[...names, ACCESS].map((name) => versions.get(name) ?? 0)])
        for (const { kind, tags: names } of steps) {
          if (kind === 'invalidate') {
            cache.invalidate(names)
            if (names === null) all++
            for (const name of names ?? []) versions.set(name, (versions.get(name) ?? 0) + 1)
          } else expect(await get(names.join(), names, version(names))).toBe(version(names))
        }
      }),
    )
  })
})
