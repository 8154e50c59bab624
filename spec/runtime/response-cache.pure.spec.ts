import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ACCESS, RUNS } from '../../commands/tags.ts'
import { entryOf, responseCache } from '../../runtime/response-cache.ts'
import type { Bounds, Entry } from '../../runtime/response-cache.ts'
import { seenTags } from '../../runtime/seen-tags.ts'

const origin = { route: '/of/it', scope: 'read' } as const

const never = new AbortController().signal

/** A cache, and what its fills were asked for and how they are ended. */
const opened = (bounds: Partial<Bounds> = {}, isBehind?: () => boolean) => {
  const cache = responseCache(bounds, isBehind)
  const fills: Array<{
    readonly signal: AbortSignal
    readonly end: (text: string) => void
    readonly fail: (error: Error) => void
  }> = []
  const ask = (key: string, tags: readonly string[], gone: AbortSignal = never, asker = 'somebody'): Promise<string> =>
    cache
      .answer(key, asker, tags, gone, (signal) => {
        const { promise, resolve, reject } = Promise.withResolvers<Entry>()
        fills.push({ signal, end: (text) => resolve(entryOf(text, origin)), fail: reject })
        return promise
      })
      .then(({ bytes }) => Buffer.from(bytes).toString())
  /** Asks and lets it be made of a text at once; answers what came. */
  const get = async (key: string, tags: readonly string[], text: string): Promise<string> => {
    const before = fills.length
    const asked = ask(key, tags)
    if (fills.length > before) fills.at(-1)?.end(text)
    return asked
  }
  return { cache, fills, ask, get }
}

describe('a kept answer', () => {
  it('is given again until one of its tags moves', async () => {
    const { cache, get } = opened()
    expect(await get('k', ['a', 'b'], 'one')).toBe('one')
    cache.invalidate(['c'])
    expect(await get('k', ['a', 'b'], 'two')).toBe('one')
    cache.invalidate(['c', 'b'])
    expect(cache.find('k')).toBeUndefined()
    expect(await get('k', ['a', 'b'], 'two')).toBe('two')
  })

  it('goes when access changes, and when everything moves, whatever its tags are', async () => {
    for (const tags of [[ACCESS], null]) {
      const { cache, get } = opened()
      await get('k', [], 'one')
      cache.invalidate(tags)
      expect(await get('k', [], 'two')).toBe('two')
    }
  })

  it('that was found to hold is not asked again of what moved before, however much that was', async () => {
    const { cache, get } = opened({ tags: 3 })
    await get('k', ['a'], 'one')
    for (let n = 0; n < 50; n++) {
      // Each time as much as is remembered at all.
      cache.invalidate([`${n} first`, `${n} second`])
      expect(cache.find('k'), `after ${n}`).toBeDefined()
    }
    cache.invalidate(['a'])
    expect(cache.find('k')).toBeUndefined()
  })

  it('is not kept when a tag moved while it was made, yet given to who waited for it', async () => {
    const { cache, ask, fills } = opened()
    const asked = ask('k', ['a'])
    cache.invalidate(['a'])
    fills[0]?.end('of before or after')
    expect(await asked).toBe('of before or after')
    expect(cache.find('k')).toBeUndefined()
  })

  it('has one tag, that of its bytes', () => {
    const tagOf = (answer: Parameters<typeof entryOf>[0]) => entryOf(answer, origin).etag
    expect(tagOf('{}')).toBe(tagOf({ body: Buffer.from('{}'), etag: null }))
    expect(tagOf('{ }')).not.toBe(tagOf('{}'))
    expect(tagOf({ body: '{}', etag: '"made elsewhere"' })).toBe('"made elsewhere"')
  })

  it('keeps its bytes and nothing around them', () => {
    expect(entryOf('{}', origin)).toMatchObject(origin)
    expect(entryOf('{}', origin).bytes.buffer.byteLength).toBe(2)
  })
})

describe('an answer under restrictions', () => {
  const restrictions = { key: 'one', projects: new Set(['secret']), suites: new Set<string>() }
  const inSet = (project: string) => ({ project, suite: 's', of: [RUNS.of] })
  const [kept, seen] = [
    seenTags([RUNS], { restrictions, granted: [] }),
    seenTags([RUNS], { restrictions, granted: [{ project: 'secret', suite: null }] }),
  ]

  it('holds while only what they cover moves, and goes for those who were granted that', async () => {
    const { cache, get } = opened()
    expect(cache.distinguish(restrictions)).toBe(restrictions)
    // As another viewer's look at the store gives them.
    expect(cache.distinguish({ ...restrictions })).toBe(restrictions)
    await get('kept', kept, 'one')
    await get('seen', seen, 'one')
    await get('all', [RUNS.of], 'one')
    cache.invalidate([inSet('secret')])
    expect(['kept', 'seen', 'all'].map((key) => cache.find(key) !== undefined)).toEqual([true, false, false])
    cache.invalidate([inSet('open')])
    expect(cache.find('kept')).toBeUndefined()
  })

  it('goes when access changes, with the restrictions', async () => {
    for (const everything of [[inSet('secret'), ACCESS], null]) {
      const { cache, get } = opened()
      cache.distinguish(restrictions)
      await get('k', kept, 'one')
      cache.invalidate(everything)
      expect(cache.find('k')).toBeUndefined()
      // The next look at the store gives them again.
      const found = { ...restrictions }
      expect(cache.distinguish(found)).toBe(found)
    }
  })
})

describe('answers asked for at once', () => {
  it('are made once', async () => {
    const { ask, fills } = opened()
    const asked = [ask('k', ['a']), ask('k', ['a']), ask('other', ['a'])]
    expect(fills).toHaveLength(2)
    for (const { end } of fills) end('made')
    expect(await Promise.all(asked)).toEqual(['made', 'made', 'made'])
  })

  it('are made for each asker: what the first may see may change until it is done', async () => {
    const { ask, fills, cache } = opened()
    const [first, second] = [ask('k', ['a'], never, 'user 1'), ask('k', ['a'], never, 'user 2')]
    expect(fills).toHaveLength(2)
    cache.invalidate([ACCESS])
    fills[0]?.end('of user 1')
    fills[1]?.end('of user 2')
    expect(await Promise.all([first, second])).toEqual(['of user 1', 'of user 2'])
    expect(cache.find('k')).toBeUndefined()
  })

  it('are not given while a commit is untold', async () => {
    let isBehind = false
    const { get, cache } = opened({}, () => isBehind)
    await get('k', ['a'], 'made')
    isBehind = true
    expect(cache.find('k')).toBeUndefined()
    isBehind = false
    expect(cache.find('k')).toBeDefined()
  })

  it('are made anew after a move: nobody is given what was begun before it', async () => {
    const { cache, ask, fills } = opened()
    const early = ask('k', ['a'])
    cache.invalidate(['b'])
    const same = ask('k', ['a'])
    cache.invalidate(['a'])
    const late = ask('k', ['a'])
    expect(fills).toHaveLength(2)
    // In the other order: the old one must not take the new one's place.
    fills[1]?.end('new')
    expect(await late).toBe('new')
    fills[0]?.end('old')
    expect(await Promise.all([early, same])).toEqual(['old', 'old'])
    expect(await ask('k', ['a'])).toBe('new')
  })

  it('fail together, and nobody else does', async () => {
    const { ask, fills, get } = opened()
    const asked = [ask('k', []), ask('k', [])]
    fills[0]?.fail(new Error('lost'))
    expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await get('k', [], 'found')).toBe('found')
  })

  it('go on while one client of several is left, and are given up with the last', async () => {
    const { ask, fills, get } = opened()
    const [first, second] = [new AbortController(), new AbortController()]
    const asked = [ask('k', [], first.signal), ask('k', [], second.signal)]
    first.abort()
    expect(fills[0]?.signal.aborted).toBe(false)
    second.abort()
    expect(fills[0]?.signal.aborted).toBe(true)
    // Whoever asks next does not wait for what was given up.
    expect(await get('k', [], 'new')).toBe('new')
    fills[0]?.fail(new Error('given up'))
    expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await get('k', [], 'newer')).toBe('new')
  })

  it('are not begun for a client that left already', async () => {
    const { ask, fills } = opened()
    const asked = ask('k', [], AbortSignal.abort())
    expect(fills[0]?.signal.aborted).toBe(true)
    fills[0]?.end('anyway')
    expect(await asked).toBe('anyway')
  })
})

describe('the bounds', () => {
  it('hold for the sum of all answers: the one not asked for longest goes first', async () => {
    const { cache, get } = opened({ bytes: 20_000 })
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

  it('keep no large answer, though all who wait share it', async () => {
    const { cache, ask, fills } = opened({ entryBytes: 10 })
    const asked = [ask('k', []), ask('k', [])]
    fills[0]?.end('x'.repeat(11))
    expect((await Promise.all(asked)).map(({ length }) => length)).toEqual([11, 11])
    expect(fills).toHaveLength(1)
    expect(cache.find('k')).toBeUndefined()
  })

  it('keep a megabyte and not more of one answer, and 32 of all, unless told otherwise', async () => {
    const { cache, get } = opened()
    await get('fits', [], 'x'.repeat(1024 * 1024))
    await get('too large', [], 'x'.repeat(1024 * 1024 + 1))
    expect([cache.find('fits'), cache.find('too large')].map((found) => found !== undefined)).toEqual([true, false])
    for (let i = 0; i < 40; i++) await get(`${i}`, [], 'x'.repeat(1024 * 1024 - 2_000))
    expect(cache.size()).toBeGreaterThan(31 * 1024 * 1024)
    expect(cache.size()).toBeLessThanOrEqual(32 * 1024 * 1024)
  })

  it('forget tags that moved long ago, and never give what moved since', async () => {
    const tag = fc.constantFrom('a', 'b', 'c', 'd', 'e', ACCESS)
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('moved' as const),
        tags: fc.oneof(
          { weight: 20, arbitrary: fc.array(tag, { maxLength: 3 }) },
          { weight: 1, arbitrary: fc.constant(null) },
        ),
      }),
      fc.record({ kind: fc.constant('ask' as const), tags: fc.uniqueArray(tag, { maxLength: 2 }) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), async (steps, tags) => {
        const { cache, get } = opened({ tags })
        const versions = new Map<string, number>()
        let all = 0
        const version = (of: readonly string[]) =>
          JSON.stringify([all, ...[...of, ACCESS].map((each) => versions.get(each) ?? 0)])
        for (const { kind, tags: of } of steps) {
          if (kind === 'moved') {
            cache.invalidate(of)
            if (of === null) all++
            for (const each of of ?? []) versions.set(each, (versions.get(each) ?? 0) + 1)
          } else expect(await get(of.join(), of, version(of))).toBe(version(of))
        }
      }),
    )
  })
})
