import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aBody, cacheKeyOf } from '../../../support/documents/cache-bodies.ts'
import { cacheRequests, errorOf, openCacheApp } from '../../../support/http/cache-requests.ts'
import { openApp, type SpecApp } from '../../../support/servers/app.ts'

const KEY = cacheKeyOf('one')
const DAY = 86_400_000
const START = Date.UTC(2026, 4, 4)

let now = START
let spec: SpecApp
beforeEach(async () => {
  now = START
  spec = await openCacheApp(() => now)
})
afterEach(() => spec.close())
const { put, get, stats, list, preview, prune } = cacheRequests(() => spec)

describe('a prune', () => {
  const DAYS = { new: 1, week: 7, month: 40 } as const
  /** Stores three entries, each with its age in `DAYS`. */
  const fill = async (): Promise<void> => {
    for (const [name, days] of Object.entries(DAYS).toSorted(([, a], [, b]) => b - a)) {
      now = START - days * DAY
      await put(
        cacheKeyOf(name),
        aBody({
          output: name.padEnd(100),
          ...(name === 'week'
            ? { kind: 'judge', model: 'm', empty_reason: 'blank' }
            : { model: name, empty_reason: name === 'new' ? 'refusal' : undefined }),
        }),
      )
    }
    now = START
  }
  const remaining = async (): Promise<string[]> => {
    const keys = new Set((await list()).entries.map(({ key }) => key))
    return Object.keys(DAYS).filter((name) => keys.has(cacheKeyOf(name)))
  }

  it('removes entries older than a number of days', async () => {
    await fill()
    expect(await prune('?older_than_days=7')).toBe(1)
    expect(await remaining()).toEqual(['new', 'week'])
    expect(await prune('?older_than_days=0')).toBe(2)
    expect(await remaining()).toEqual([])
  })

  it('removes entries newer than a number of days, also combined with a minimum age', async () => {
    await fill()
    expect(await prune('?older_than_days=2&newer_than_days=10')).toBe(1)
    expect(await remaining()).toEqual(['new', 'month'])
    expect(await prune('?newer_than_days=1')).toBe(1)
    expect(await remaining()).toEqual(['month'])
  })

  it('removes entries with any of several empty reasons, trimmed', async () => {
    await fill()
    expect(await prune('?empty_reason=truncated,%20blank%20,')).toBe(1)
    expect(await remaining()).toEqual(['new', 'month'])
  })

  it('removes entries of a model', async () => {
    await fill()
    expect(await prune('?model=month')).toBe(1)
    expect(await remaining()).toEqual(['new', 'week'])
    expect(await prune('?model=')).toBe(0)
  })

  it('removes entries of a kind', async () => {
    await fill()
    expect(await prune('?kind=judge')).toBe(1)
    expect(await remaining()).toEqual(['new', 'month'])
    expect(await prune('?kind=unparseable')).toBe(0)
  })

  it('removes the least recently used entries down to a total size', async () => {
    await fill()
    await get(cacheKeyOf('month'))
    const { total_bytes, entries } = await stats()
    expect(await prune(`?target_bytes=${total_bytes}`)).toBe(0)
    expect(await prune(`?target_bytes=${Math.ceil(total_bytes / entries) * 2}`)).toBe(1)
    expect(await remaining()).toEqual(['new', 'month'])
    expect(await prune('?target_bytes=0')).toBe(2)
    expect(await stats()).toMatchObject({ entries: 0, total_bytes: 0 })
  })

  it('removes what matches all rules, then evicts down to the target size', async () => {
    await fill()
    expect(await prune('?kind=provider&older_than_days=7&model=new')).toBe(0)
    expect(await prune('?kind=provider&older_than_days=7&target_bytes=0')).toBe(3)
  })

  it('without a rule removes what exceeds the configured age and size', async () => {
    await fill()
    expect(await prune()).toBe(1)
    expect(await remaining()).toEqual(['new', 'week'])
    await put(cacheKeyOf('large'), Buffer.alloc(2900, 'x'))
    expect(await prune()).toBe(2)
    expect((await list()).entries.map(({ key }) => key)).toEqual([cacheKeyOf('large')])
  })

  it('with any rule, even an empty one, ignores the configured limits', async () => {
    await fill()
    await put(cacheKeyOf('large'), Buffer.alloc(9000, 'x'))
    for (const query of [
      '?empty_reason=',
      '?empty_reason=,%20,',
      '?empty_reason=,&older_than_days=0',
      '?model=',
      '?kind=',
      '?newer_than_days=0',
    ]) {
      now = START + 1
      expect(await prune(query), query).toBe(0)
    }
    expect(await stats()).toMatchObject({ entries: 4 })
  })

  it('clamps very large numbers of days', async () => {
    await fill()
    const hugeDays = '9'.repeat(400)
    expect(await prune(`?older_than_days=${hugeDays}`)).toBe(0)
    expect(await prune(`?newer_than_days=${hugeDays}`)).toBe(3)
  })

  it('rejects invalid parameters', async () => {
    await fill()
    for (const name of ['older_than_days', 'newer_than_days', 'target_bytes'])
      expect(await errorOf(spec.sendAs('admin')('POST', `/cache/prune?${name}=-1`))).toEqual([
        400,
        `${name} must not be negative`,
      ])
    for (const query of [
      'older_than_days=',
      'older_than_days=1.5',
      'empty_reasons=blank',
      'tier=local',
      'model=a&model=b',
      'model=%00',
      'kind=%00',
      'empty_reason=blank,%00',
    ])
      expect((await spec.sendAs('admin')('POST', `/cache/prune?${query}`)).statusCode, query).toBe(400)
    expect(await remaining()).toEqual(['new', 'week', 'month'])
  })

  it('leaves nothing readable of what it removed, in memory or in the store', async () => {
    await fill()
    await get(cacheKeyOf('week'))
    expect(await prune('?kind=judge')).toBe(1)
    expect((await get(cacheKeyOf('week'))).statusCode).toBe(404)
    expect((await spec.sendAs('read')('HEAD', `/cache/${cacheKeyOf('week')}`)).statusCode).toBe(404)
    expect((await list('?q=week')).entries).toEqual([])
    expect((await put(cacheKeyOf('week'), aBody())).statusCode).toBe(201)
  })

  it('records its actor and its rules as an event', async () => {
    await fill()
    await prune('?kind=judge&older_than_days=2')
    const { events } = (await spec.sendAs('admin')('GET', '/audit?type=CachePruned')).json<{
      events: Array<{ data: unknown; actor: { credential_id: string } }>
    }>()
    expect(events).toMatchObject([
      {
        stream: `service/${spec.service.instance}`,
        actor: { kind: 'static', scope: 'admin' },
        data: {
          cause: 'request',
          pruned: 1,
          kind: 'judge',
          created_before: START - 2 * DAY,
          created_from: null,
          empty_reasons: null,
          model: null,
          target_bytes: null,
        },
      },
    ])
  })
})

it('deleting an entry removes only that entry and records an event', async () => {
  for (const name of ['one', 'two']) await put(cacheKeyOf(name), aBody())
  await get(KEY)
  const answer = await spec.sendAs('admin')('DELETE', `/cache/entries/${KEY}`)
  expect([answer.statusCode, answer.body]).toEqual([204, ''])
  expect((await get(KEY)).statusCode).toBe(404)
  expect(await stats()).toMatchObject({ entries: 1, total_bytes: aBody().length })
  expect(await errorOf(spec.sendAs('admin')('DELETE', `/cache/entries/${KEY}`))).toEqual([404, 'cache entry not found'])
  const { events } = (await spec.sendAs('admin')('GET', '/audit?type=CacheEntryDeleted')).json<{
    events: unknown[]
  }>()
  expect(events).toMatchObject([
    { stream: `service/${spec.service.instance}`, actor: { kind: 'static', scope: 'admin' }, data: { key: KEY } },
  ])
})

describe('the preview of a prune', () => {
  it('counts entries, bytes, costs and recent lookups, by kind and model', async () => {
    for (const [name, fields] of [
      ['a', { model: 'm', cost_usd: 0.25 }],
      ['b', { model: 'm' }],
      ['c', { kind: 'judge', model: 'j' }],
    ] as const)
      await put(cacheKeyOf(name), aBody(fields))
    now += 20 * DAY
    await get(cacheKeyOf('b'))
    await put(cacheKeyOf('d'), aBody({ model: 'm' }))
    now += 6 * DAY
    const size = (await list()).entries.find(({ key }) => key === cacheKeyOf('c'))?.size
    const found = await preview('?older_than_days=20')
    expect(found).toMatchObject({
      entries: 3,
      read_last_7_days: 1,
      oldest_at: '2026-05-04T00:00:00+00:00',
      newest_at: '2026-05-04T00:00:00+00:00',
      groups: [
        { kind: 'provider', model: 'm', entries: 2, read_last_7_days: 1 },
        { kind: 'judge', model: 'j', entries: 1, bytes: size, read_last_7_days: 0, cost_usd: null, with_cost: 0 },
      ],
      other: { entries: 0, bytes: 0, oldest_at: null },
    })
    // A lookup more than seven days ago is not recent, and neither is the time when an entry was stored.
    now += 2 * DAY
    expect(await preview('?kind=provider')).toMatchObject({ entries: 3, read_last_7_days: 0 })
    expect(await stats()).toMatchObject({ entries: 4 })
  })

  it('adds up the groups after the twentieth', async () => {
    await spec.close()
    spec = await openApp({ now: () => now })
    for (let i = 0; i < 25; i++)
      for (let n = 0; n < (i < 3 ? 2 : 1); n++) await put(cacheKeyOf(`${i} ${n}`), aBody({ model: `m${i}` }))
    const found = await preview('?kind=provider')
    expect(found.groups).toHaveLength(20)
    expect(found.groups.slice(0, 3).map(({ entries }) => entries)).toEqual([2, 2, 2])
    expect([found.entries, found.other.entries]).toEqual([28, 5])
  })

  it('exists for the deletion of one entry', async () => {
    await put(KEY, aBody({ model: 'm' }))
    await put(cacheKeyOf('two'), 'not read')
    now += DAY
    await get(KEY)
    const answer = await spec.sendAs('admin')('GET', `/cache/entries/${KEY}/eviction`)
    expect(answer.json()).toMatchObject({
      entries: 1,
      bytes: aBody({ model: 'm' }).length,
      read_last_7_days: 1,
      oldest_at: '2026-05-04T00:00:00+00:00',
      groups: [{ kind: 'provider', model: 'm' }],
      total: { entries: 2 },
    })
    const gone = await spec.sendAs('admin')('GET', `/cache/entries/${cacheKeyOf('none')}/eviction`)
    expect([gone.statusCode, gone.body]).toEqual([404, '{"error":"cache entry not found"}'])
  })
})
