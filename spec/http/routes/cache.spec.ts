import { gzipSync, deflateSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CacheEviction } from '../../../queries/cache/eviction.ts'
import type { CacheOverview } from '../../../queries/cache/reuse.ts'
import type { CacheEntry, CacheFacets, CacheList } from '../../../queries/cache/item.ts'
import type { CacheStats } from '../../../queries/cache/facets.ts'
import { aBody, cacheKeyOf } from '../../support/documents/cache-bodies.ts'
import { openApp } from '../../support/servers/app.ts'
import type { Caller, SpecApp } from '../../support/servers/app.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'

const KEY = cacheKeyOf('one')
const DAY = 86_400_000
const START = Date.UTC(2026, 4, 4)

let now = START
let spec: SpecApp
beforeEach(async () => {
  now = START
  spec = await openApp({ now: () => now, limits: { max_entry_bytes: 10_000, max_age_days: 30, max_bytes: 3000 } })
})
afterEach(() => spec.close())

const put = (
  key: string,
  body: Buffer | string,
  headers: Readonly<Record<string, string>> = {},
  caller: Caller = 'write',
) => spec.sendAs(caller)('PUT', `/cache/${key}`, { body, headers })
const get = (key: string) => spec.sendAs('read')('GET', `/cache/${key}`)
const stats = async (): Promise<CacheStats> => (await spec.sendAs('read')('GET', '/cache/stats')).json<CacheStats>()
const list = async (query = ''): Promise<CacheList> => {
  const answer = await spec.sendAs('admin')('GET', `/cache/entries${query}`)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<CacheList>()
}
const detail = async (key: string, query = ''): Promise<CacheEntry> =>
  (await spec.sendAs('read')('GET', `/cache/entries/${key}${query}`)).json<CacheEntry>()
const preview = async (query = ''): Promise<CacheEviction> => {
  const answer = await spec.sendAs('admin')('GET', `/cache/prune${query}`)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<CacheEviction>()
}
/** Prunes, and expects that the preview said exactly what was removed. */
const prune = async (query = ''): Promise<number> => {
  const { entries, bytes, groups, other, total } = await preview(query)
  const before = await stats()
  expect(total).toEqual({ entries: before.entries, bytes: before.total_bytes })
  expect(groups.reduce((sum, group) => sum + group.entries, other.entries)).toBe(entries)
  const answer = await spec.sendAs('admin')('POST', `/cache/prune${query}`)
  expect(answer.statusCode, answer.body).toBe(200)
  const { pruned } = answer.json<{ pruned: number }>()
  const after = await stats()
  expect({ entries, bytes }).toEqual({ entries: pruned, bytes: before.total_bytes - after.total_bytes })
  return pruned
}
const errorOf = async (
  answer: Promise<{ statusCode: number; json: () => unknown }>,
): Promise<readonly [number, string]> => {
  const { statusCode, json } = await answer
  return [statusCode, (json() as { error: string }).error]
}
const lastAccess = async (key: string): Promise<string | null> => (await detail(key)).last_access_at

describe('a raw entry', () => {
  it('is returned byte for byte with any content', async () => {
    const bytes = Buffer.from([0, 255, 254, 10, 123])
    const stored = await put(KEY, bytes, { 'content-type': 'text/plain' })
    expect([stored.statusCode, stored.body]).toEqual([201, ''])
    // The second response comes from memory.
    for (const _ of [1, 2]) {
      const found = await get(KEY)
      expect([
        found.statusCode,
        found.headers['content-type'],
        found.headers['content-length'],
        found.headers['x-content-type-options'],
      ]).toEqual([200, 'application/octet-stream', '5', 'nosniff'])
      expect(found.rawPayload.equals(bytes)).toBe(true)
    }
  })

  it('may be empty', async () => {
    expect((await put(KEY, Buffer.alloc(0))).statusCode).toBe(201)
    const found = await get(KEY)
    expect([found.statusCode, found.rawPayload.length]).toEqual([200, 0])
  })

  it('keeps the bytes that were put first', async () => {
    expect((await put(KEY, 'first')).statusCode).toBe(201)
    const second = await put(KEY, 'second')
    expect([second.statusCode, second.body]).toEqual([200, ''])
    expect((await get(KEY)).body).toBe('first')
    expect(await stats()).toMatchObject({ entries: 1, total_bytes: 5 })
  })

  it('is stored once when 50 clients put it concurrently; only one gets 201', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => put(KEY, aBody({ output: `answer ${i}` }))))
    const first = answers.findIndex(({ statusCode }) => statusCode === 201)
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(49)
    expect((await get(KEY)).rawPayload.equals(aBody({ output: `answer ${first}` }))).toBe(true)
    expect(await stats()).toMatchObject({ entries: 1, total_bytes: aBody({ output: `answer ${first}` }).length })
    expect((await list()).entries).toHaveLength(1)
  })

  it('is decoded when it arrives compressed', async () => {
    for (const [name, encoded, encoding] of [
      ['a', gzipSync('some text'), 'gzip'],
      ['b', deflateSync('some text'), 'deflate'],
    ] as const) {
      expect((await put(cacheKeyOf(name), encoded, { 'content-encoding': encoding })).statusCode).toBe(201)
      expect((await get(cacheKeyOf(name))).body).toBe('some text')
    }
    expect((await put(KEY, 'x', { 'content-encoding': 'br' })).statusCode).toBe(415)
    expect((await put(KEY, 'no gzip', { 'content-encoding': 'gzip' })).statusCode).toBe(400)
  })

  it('is rejected above the size limit, which counts decoded bytes', async () => {
    expect((await put(cacheKeyOf('full'), Buffer.alloc(10_000, 'x'))).statusCode).toBe(201)
    for (const [body, headers] of [
      [Buffer.alloc(10_001, 'x'), {}],
      [gzipSync(Buffer.alloc(10_001, 'x')), { 'content-encoding': 'gzip' }],
      [Buffer.alloc(80_000, 'x'), { 'content-encoding': 'gzip' }],
    ] as const) {
      expect(await errorOf(put(KEY, body, headers))).toEqual([413, 'the request body is larger than 10000 bytes'])
    }
    expect((await get(KEY)).statusCode).toBe(404)
  })

  it('returns 404 when it is not stored', async () =>
    expect(await errorOf(get(KEY))).toEqual([404, 'cache entry not found']))

  it('returns no bytes for HEAD', async () => {
    await put(KEY, 'four')
    const found = await spec.sendAs('read')('HEAD', `/cache/${KEY}`)
    expect([found.statusCode, found.headers['content-length'], found.headers['content-type'], found.body]).toEqual([
      200,
      '4',
      'application/octet-stream',
      '',
    ])
    expect((await spec.sendAs('read')('HEAD', `/cache/${cacheKeyOf('none')}`)).statusCode).toBe(404)
  })

  it.each([
    'abc',
    `sha256:${'A'.repeat(64)}`,
    `sha256:${'a'.repeat(63)}`,
    `sha256:${'a'.repeat(65)}`,
    'a'.repeat(64),
    `md5:${'a'.repeat(64)}`,
  ])('rejects the key %s', async (key) => {
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['GET', 'entries/'],
      ['DELETE', 'entries/'],
    ] as const) {
      expect(
        await errorOf(
          spec.sendAs('admin')(method, `/cache/${path}${key}`, method === 'PUT' ? { body: Buffer.alloc(20_000) } : {}),
        ),
      ).toEqual([400, expect.stringContaining('sha256:<64 hex>')])
    }
    expect((await spec.sendAs('read')('GET', `/cache/entries/${key}/runs`)).statusCode).toBe(400)
    expect((await spec.sendAs('read')('HEAD', `/cache/${key}`)).statusCode).toBe(400)
  })

  it('has an ETag of its bytes', async () => {
    await put(KEY, 'text')
    const { headers } = await get(KEY)
    expect(
      (await spec.sendAs('read')('GET', `/cache/${KEY}`, { headers: { 'if-none-match': String(headers['etag']) } }))
        .statusCode,
    ).toBe(304)
    await spec.sendAs('admin')('DELETE', `/cache/entries/${KEY}`)
    await put(KEY, 'other')
    const after = await spec.sendAs('read')('GET', `/cache/${KEY}`, {
      headers: { 'if-none-match': String(headers['etag']) },
    })
    expect([after.statusCode, after.body]).toEqual([200, 'other'])
  })
})

describe('the cache statistics', () => {
  it('are zero for an empty cache', async () =>
    expect(await stats()).toEqual({
      entries: 0,
      total_bytes: 0,
      hits: 0,
      misses: 0,
      unindexed: 0,
      oldest_entry_at: null,
    }))

  it('count only GET lookups', async () => {
    await put(KEY, aBody())
    for (const key of [KEY, KEY, cacheKeyOf('none')]) await get(key)
    for (const key of [KEY, cacheKeyOf('none')]) await spec.sendAs('read')('HEAD', `/cache/${key}`)
    await put(KEY, aBody())
    await list()
    await detail(KEY)
    await spec.sendAs('read')('GET', `/cache/entries/${KEY}/runs`)
    await spec.sendAs('admin')('GET', '/cache/facets')
    expect(await stats()).toMatchObject({ entries: 1, hits: 2, misses: 1 })
    expect(await stats()).toMatchObject({ hits: 2, misses: 1 })
  })

  it('show the time of the oldest entry', async () => {
    await put(KEY, aBody())
    now += DAY
    await put(cacheKeyOf('two'), aBody())
    expect(await stats()).toMatchObject({
      entries: 2,
      total_bytes: 2 * aBody().length,
      oldest_entry_at: '2026-05-04T00:00:00+00:00',
    })
  })
})

describe('the last access', () => {
  it('is the time of the last GET or HEAD', async () => {
    await put(KEY, aBody())
    expect(await lastAccess(KEY)).toBe('2026-05-04T00:00:00+00:00')
    now += 1000
    await get(KEY)
    expect(await lastAccess(KEY)).toBe('2026-05-04T00:00:01+00:00')
    now += 1000
    // This response comes from memory.
    await get(KEY)
    expect(await lastAccess(KEY)).toBe('2026-05-04T00:00:02+00:00')
    now += 1000
    await spec.sendAs('read')('HEAD', `/cache/${KEY}`)
    expect(await lastAccess(KEY)).toBe('2026-05-04T00:00:03+00:00')
  })

  it('is not changed by other requests', async () => {
    await put(KEY, aBody())
    now += 1000
    await put(KEY, aBody())
    await list('?q=hello')
    await detail(KEY, '?raw=true')
    await spec.sendAs('read')('GET', `/cache/entries/${KEY}/runs`)
    await spec.sendAs('admin')('GET', '/cache/facets')
    await stats()
    expect(await lastAccess(KEY)).toBe('2026-05-04T00:00:00+00:00')
  })
})

describe('an entry in the list', () => {
  it('shows the fields of its body', async () => {
    const request = { transport: 'http', method: 'POST', url: 'https://api.example/v1/messages?key=x', body: {} }
    const body = aBody({
      model: 'm',
      cost_usd: 0.0125,
      usage: { input_tokens: 7, output_tokens: 3 },
      request,
      empty_reason: 'refusal',
    })
    await put(KEY, body)
    expect(await list()).toEqual({
      entries: [
        {
          key: KEY,
          size: body.length,
          created_at: '2026-05-04T00:00:00+00:00',
          last_access_at: '2026-05-04T00:00:00+00:00',
          entry_created_at: '2026-05-03T22:10:00+00:00',
          indexed: true,
          parseable: true,
          kind: 'provider',
          model: 'm',
          cost_usd: 0.0125,
          input_tokens: 7,
          output_tokens: 3,
          request_summary: 'POST https://api.example/v1/messages',
          output_preview: 'Hello there.',
          empty_reason: 'refusal',
        },
      ],
      next_cursor: null,
      truncated: false,
    })
  })

  it('is marked unparseable when its body cannot be parsed', async () => {
    await put(KEY, 'opaque')
    const [entry] = (await list('?kind=unparseable')).entries
    expect(entry).toEqual({
      key: KEY,
      size: 6,
      created_at: '2026-05-04T00:00:00+00:00',
      last_access_at: '2026-05-04T00:00:00+00:00',
      entry_created_at: null,
      indexed: true,
      parseable: false,
      kind: null,
      model: null,
      cost_usd: null,
      input_tokens: null,
      output_tokens: null,
      request_summary: null,
      output_preview: null,
      empty_reason: null,
    })
  })

  it('cannot be listed with an unknown filter or order: the request is rejected', async () => {
    for (const query of [
      'tier=disk',
      'sort=age',
      'order=up',
      'since=soon',
      'min_cost_microusd=1.5',
      'limit=x',
      'empty_reasons=x',
      'kind=a&kind=b',
    ])
      expect((await spec.sendAs('admin')('GET', `/cache/entries?${query}`)).statusCode, query).toBe(400)
    expect(await errorOf(spec.sendAs('admin')('GET', '/cache/entries?tier=local'))).toEqual([
      404,
      'local cache tier not found',
    ])
  })
})

describe('the detail of an entry', () => {
  it('is parsed from its body, with raw metadata only on request', async () => {
    const fields = {
      raw: { id: 'vendor' },
      reasoning: 'because',
      stop_reason: 'end',
      request: { a: [1] },
      provider_latency_ms: 45,
      tool_calls: [{ name: 'find', arguments: {} }],
      provider_fingerprint: 'f',
    }
    await put(KEY, aBody(fields))
    const shown = {
      key: KEY,
      indexed: true,
      parseable: true,
      kind: 'provider',
      attempts: 1,
      service_version: '1.4.0',
      output: 'Hello there.',
      empty_reason: null,
      ...fields,
    }
    expect(await detail(KEY)).toMatchObject({ ...shown, raw: null })
    expect(await detail(KEY, '?raw=false')).toMatchObject({ raw: null })
    expect(await detail(KEY, '?raw=true')).toMatchObject(shown)
  })

  it('shows the kind that the body names, not a kind inferred from its shape', async () => {
    await put(KEY, aBody({ kind: undefined }))
    expect((await list('?kind=provider')).entries).toHaveLength(1)
    expect((await detail(KEY)).kind).toBeNull()
  })

  it('has null fields when the body cannot be parsed', async () => {
    await put(KEY, '{"broken":')
    const { key, size, created_at, last_access_at, indexed, parseable, tool_calls, ...read } = await detail(
      KEY,
      '?raw=true',
    )
    expect([key, size, created_at, last_access_at, indexed, parseable, tool_calls]).toEqual([
      KEY,
      10,
      '2026-05-04T00:00:00+00:00',
      '2026-05-04T00:00:00+00:00',
      true,
      false,
      [],
    ])
    expect(new Set(Object.values(read))).toEqual(new Set([null]))
  })

  it('returns 404 when the entry is not stored', async () =>
    expect(await errorOf(spec.sendAs('read')('GET', `/cache/entries/${KEY}`))).toEqual([404, 'cache entry not found']))
})

describe('the runs of an entry', () => {
  const runs = async (key: string, query = '', caller: Caller = 'read') =>
    (await spec.sendAs(caller)('GET', `/cache/entries/${key}/runs${query}`)).json<{
      cases: Array<{ run_id: string; case_key: string; cached: boolean }>
      next_cursor: string | null
    }>()
  const cases = [0, 1, 2].map((repeat) =>
    aCase({ cell: { repeat }, cache_key: KEY, ...(repeat === 1 ? { cached: true } : {}) }),
  )

  it('list the cases that used its key, newest run first, even if the entry is not stored', async () => {
    await spec.ingest(
      aDocument({
        run_id: 'old',
        project: 'p',
        suite: 's',
        finished_at: '2026-05-01T00:00:00Z',
        cases: [aCase({ name: 'greets', cache_key: KEY, cached: true })],
      }),
    )
    await spec.ingest(
      aDocument({
        run_id: 'new',
        project: null,
        suite: null,
        finished_at: '2026-05-02T00:00:00Z',
        cases: [
          aCase({ status: 'fail', cache_key: KEY }),
          aCase({ cell: { repeat: 1 }, cache_key: cacheKeyOf('two') }),
        ],
      }),
    )
    const { case_key } = aCase()
    expect(await runs(KEY)).toEqual({
      cases: [
        {
          run_id: 'new',
          project: null,
          suite: null,
          created_at: '2026-05-02T00:00:00+00:00',
          case_key,
          name: null,
          status: 'fail',
          cached: false,
        },
        {
          run_id: 'old',
          project: 'p',
          suite: 's',
          created_at: '2026-05-01T00:00:00+00:00',
          case_key,
          name: 'greets',
          status: 'pass',
          cached: true,
        },
      ],
      next_cursor: null,
    })
    expect(await runs(cacheKeyOf('three'))).toEqual({ cases: [], next_cursor: null })
  })

  it('are paged without gaps, even with many cases in a run', async () => {
    for (const run_id of ['a', 'b:c', 'd/é']) await spec.ingest(aDocument({ run_id, cases }))
    const unpaged = (await runs(KEY)).cases.map(({ run_id, case_key }) => [run_id, case_key])
    expect(unpaged).toHaveLength(9)
    for (const limit of [1, 2, 4, 9]) {
      const paged: Array<readonly string[]> = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const page = await runs(KEY, `?limit=${limit}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)
        paged.push(...page.cases.map(({ run_id, case_key }) => [run_id, case_key]))
        cursor = page.next_cursor
      }
      expect(paged).toEqual(unpaged)
    }
    expect((await runs(KEY, '?cursor=%25:nonsense:x')).cases).toHaveLength(9)
  })

  it('include only those that the caller may see, filtered before paging', async () => {
    await spec.ingest(aDocument({ run_id: 'open', project: 'open', finished_at: '2026-05-01T00:00:00Z', cases }))
    await spec.ingest(
      aDocument({ run_id: 'hidden', project: 'secret', suite: 'vault', finished_at: '2026-05-02T00:00:00Z', cases }),
    )
    await spec.restrict('secret')
    expect((await runs(KEY, '?limit=3')).cases.map(({ run_id }) => run_id)).toEqual(['open', 'open', 'open'])
    expect((await runs(KEY, '?limit=3')).next_cursor).toBeNull()
    expect((await runs(KEY, '', 'admin')).cases).toHaveLength(6)
    const granted = await spec.addUser('ann')
    const countSeen = async () =>
      (await granted.send('GET', `/cache/entries/${KEY}/runs`)).json<{ cases: unknown[] }>().cases.length
    expect(await countSeen()).toBe(3)
    await spec.grant('ann', 'view', 'secret')
    expect(await countSeen()).toBe(6)
  })
})

describe('the cache facets', () => {
  const facets = async (): Promise<CacheFacets> =>
    (await spec.sendAs('admin')('GET', '/cache/facets')).json<CacheFacets>()

  it('are empty for an empty cache', async () =>
    expect(await facets()).toEqual({
      kinds: [],
      models: [],
      empty_reasons: [],
      total: 0,
      unindexed: 0,
      unparseable: 0,
    }))

  it('count each value, most frequent first, without nulls', async () => {
    for (const [name, fields] of Object.entries({
      a: { model: 'm', empty_reason: 'blank' },
      b: { model: 'n', kind: 'judge' },
      c: { model: 'n' },
      d: { model: 'k', empty_reason: 'refusal' },
    }))
      await put(cacheKeyOf(name), aBody(fields))
    await put(cacheKeyOf('e'), 'opaque')
    const expected = {
      kinds: [
        { value: 'provider', count: 3 },
        { value: 'judge', count: 1 },
      ],
      models: [
        { value: 'n', count: 2 },
        { value: 'k', count: 1 },
        { value: 'm', count: 1 },
      ],
      empty_reasons: [
        { value: 'blank', count: 1 },
        { value: 'refusal', count: 1 },
      ],
      total: 5,
      unindexed: 0,
      unparseable: 1,
    }
    expect(await facets()).toEqual(expected)
    await spec.sendAs('admin')('DELETE', `/cache/entries/${cacheKeyOf('a')}`)
    await prune('?model=n')
    expect(await facets()).toEqual({
      kinds: [{ value: 'provider', count: 1 }],
      models: [{ value: 'k', count: 1 }],
      empty_reasons: [{ value: 'refusal', count: 1 }],
      total: 2,
      unindexed: 0,
      unparseable: 1,
    })
  })

  it('list the hundred most frequent models and every empty reason', async () => {
    await Promise.all(
      Array.from({ length: 120 }, (_, i) => put(cacheKeyOf(`${i}`), aBody({ model: `m${i}`, empty_reason: `r${i}` }))),
    )
    const { models, empty_reasons } = await facets()
    expect([models.length, empty_reasons.length]).toEqual([100, 120])
  })
})

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

describe('deleting an entry', () => {
  it('removes only that entry and records an event', async () => {
    for (const name of ['one', 'two']) await put(cacheKeyOf(name), aBody())
    await get(KEY)
    const answer = await spec.sendAs('admin')('DELETE', `/cache/entries/${KEY}`)
    expect([answer.statusCode, answer.body]).toEqual([204, ''])
    expect((await get(KEY)).statusCode).toBe(404)
    expect(await stats()).toMatchObject({ entries: 1, total_bytes: aBody().length })
    expect(await errorOf(spec.sendAs('admin')('DELETE', `/cache/entries/${KEY}`))).toEqual([
      404,
      'cache entry not found',
    ])
    const { events } = (await spec.sendAs('admin')('GET', '/audit?type=CacheEntryDeleted')).json<{
      events: unknown[]
    }>()
    expect(events).toMatchObject([
      { stream: `service/${spec.service.instance}`, actor: { kind: 'static', scope: 'admin' }, data: { key: KEY } },
    ])
  })
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

  it('rejects what a prune rejects, and needs its scope', async () => {
    for (const query of ['?older_than_days=-1', '?empty_reasons=blank', '?target_bytes=x', '?tier=local'])
      expect((await spec.sendAs('admin')('GET', `/cache/prune${query}`)).statusCode, query).toBe(400)
    expect((await spec.sendAs('write')('GET', '/cache/prune')).statusCode).toBe(403)
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

describe('the overview of the cache', () => {
  const overview = async (query = '', caller: Caller = 'read'): Promise<CacheOverview> => {
    const answer = await spec.sendAs(caller)('GET', `/cache/overview${query}`)
    expect(answer.statusCode, answer.body).toBe(200)
    return answer.json<CacheOverview>()
  }

  it('has the statistics and the limits', async () => {
    await put(KEY, aBody())
    const { cache, limits, local } = await overview()
    expect(cache).toEqual((await spec.sendAs('read')('GET', '/cache/stats')).json())
    expect(cache.entries).toBe(1)
    expect({ limits, local }).toEqual({ limits: { max_age_days: 30, max_bytes: 3000 }, local: false })
  })

  it('sums lookups and savings of visible runs, a day at a time', async () => {
    now = Date.UTC(2026, 4, 5, 12)
    for (const [run_id, started_at, fields] of [
      ['r1', '2026-05-05T09:00:00Z', { project: 'open' }],
      ['r2', '2026-05-04T09:00:00Z', { project: 'open' }],
      ['r3', '2026-05-04T10:00:00Z', { project: 'hidden' }],
      ['r4', '2026-04-01T10:00:00Z', { project: 'open' }],
    ] as const)
      expect(
        (await spec.ingest(aDocument({ run_id, started_at, finished_at: started_at, ...fields }))).statusCode,
      ).toBe(201)
    const all = await overview('', 'read')
    expect(all).toMatchObject({ since: '2026-04-06', until: '2026-05-05', runs: 3 })
    expect(all.days.map(({ day, runs }) => [day, runs])).toEqual([
      ['2026-05-04', 2],
      ['2026-05-05', 1],
    ])
    expect((await overview('?days=1')).days.map(({ day }) => day)).toEqual(['2026-05-05'])
    expect(await overview('?days=60')).toMatchObject({ since: '2026-03-07', runs: 4 })
    await spec.restrict('hidden')
    expect(await overview()).toMatchObject({ runs: 2 })
    expect(await overview('', 'admin')).toMatchObject({ runs: 3 })
  })

  it('leaves unknown savings unknown', async () => {
    now = Date.UTC(2026, 4, 5, 12)
    const ingest = (run_id: string, summary: object) => {
      const document = aDocument({ run_id })
      return spec.ingest(JSON.stringify({ ...document, summary: { ...document.summary, ...summary } }))
    }
    expect((await ingest('r1', { cache_hits: 3, cache_misses: 1 })).statusCode).toBe(201)
    expect(await overview()).toMatchObject({
      runs: 1,
      cache_hits: 3,
      cache_misses: 1,
      runs_with_savings: 0,
      savings_usd: null,
    })
    expect((await ingest('r2', { cache_hits: 2, cache_misses: 0, cache_savings_usd: 0.25 })).statusCode).toBe(201)
    expect(await overview()).toMatchObject({
      runs: 2,
      cache_hits: 5,
      cache_misses: 1,
      runs_with_savings: 1,
      savings_usd: 0.25,
    })
  })
})
