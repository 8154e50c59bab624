import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aBody, cacheKeyOf } from '../../../support/documents/cache-bodies.ts'
import { aCase, aDocument } from '../../../support/documents/documents.ts'
import { cacheRequests, errorOf, openCacheApp } from '../../../support/http/cache-requests.ts'
import type { Caller, SpecApp } from '../../../support/servers/app.ts'

const KEY = cacheKeyOf('one')
const START = Date.UTC(2026, 4, 4)

let spec: SpecApp
beforeEach(async () => void (spec = await openCacheApp(() => START)))
afterEach(() => spec.close())
const { put, list, detail } = cacheRequests(() => spec)

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
