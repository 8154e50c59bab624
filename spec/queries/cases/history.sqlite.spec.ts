import { afterAll, describe, expect, it } from 'vitest'
import type { CaseHistory } from '../../../queries/cases/history.ts'
import { openApp } from '../../support/servers/app.ts'
import { aCase, aDocument, theExample } from '../../support/documents/documents.ts'

const KEY = aCase().case_key
afterAll(() => spec.close())

const path = (project: string, suite: string, case_key: string) =>
  `/projects/${encodeURIComponent(project)}/suites/${encodeURIComponent(suite)}/cases/${encodeURIComponent(case_key)}/history`
const history = (suite: string, query = '', key = KEY): Promise<CaseHistory> =>
  spec.getJson<CaseHistory>(`${path('chat', suite, key)}${query}`)
const runAt = (suite: string, n: number, overrides: Parameters<typeof aCase>[0] = {}, run_id = `${suite}-${n}`) =>
  spec.ingest(
    aDocument({
      run_id,
      suite,
      finished_at: new Date(Date.UTC(2026, 4, 5) + n * 1000).toISOString(),
      cases: [aCase({ cell: { test_id: 'other' } }), aCase(overrides)],
    }),
  )
const spec = await openApp()

describe('the history of a case', () => {
  it('returns the documented values for the worked example', async () => {
    await spec.ingest(theExample())
    expect((await spec.sendAs('read')('GET', path('support-desk', 'refunds', '8cb9b3fd0ce1b8d1'))).json()).toEqual({
      project: 'support-desk',
      suite: 'refunds',
      case_key: '8cb9b3fd0ce1b8d1',
      baseline_run_id: null,
      points: [
        {
          run_id: theExample().run_id,
          created_at: '2026-05-04T09:00:42.250+00:00',
          status: 'fail',
          score: 0.6,
          output_hash: '4e0ea5a68f409c33958c2a0259991d363e24ede606730bf6c49d2cc48ba4bf88',
          output_changed: null,
          cached: false,
          prompt_tokens: 720,
          completion_tokens: 8,
          cost_usd: 0.00044,
          latency_ms: 1290,
          git_commit: '9f3c2ab',
          config_digest: 'blake3:5d1f',
        },
      ],
    })
  })

  it('is newest run first, then by descending id, and includes cached points', async () => {
    for (const [n, run_id] of [
      [2, 'b'],
      [1, 'z'],
      [2, 'a'],
      [3, 'c'],
      [2, 'é'],
    ] as const)
      await runAt('order', n, { cached: n === 2 }, run_id)
    expect((await history('order')).points.map(({ run_id }) => run_id)).toEqual(['c', 'é', 'b', 'a', 'z'])
  })

  it('compares each output with that of the next older point, or returns null if one is missing', async () => {
    for (const [n, output] of ['same', 'same', 'new', null, 'new', 'new'].entries())
      await runAt('outputs', n, { output })
    expect((await history('outputs')).points.map(({ output_changed }) => output_changed)).toEqual([
      false,
      null,
      null,
      true,
      false,
      null,
    ])
    expect((await history('outputs', '?limit=1')).points.map(({ output_changed }) => output_changed)).toEqual([null])
    expect((await history('outputs')).points[2]?.output_hash).toBeNull()
  })

  it('has 20 points by default, 100 at most', async () => {
    for (let n = 0; n < 103; n++) await runAt('limits', n)
    const size = async (query: string) => (await history('limits', query)).points.length
    expect([await size(''), await size('?limit=0'), await size('?limit=100'), await size('?limit=101')]).toEqual([
      20, 1, 100, 100,
    ])
    expect((await history('limits', '?limit=2')).points.map(({ run_id }) => run_id)).toEqual([
      'limits-102',
      'limits-101',
    ])
  })

  it('returns null for empty texts and for missing values', async () => {
    await spec.ingest(aDocument({ run_id: 'bare', suite: 'bare', git: { commit: '' } }))
    expect((await history('bare')).points[0]).toMatchObject({
      git_commit: null,
      config_digest: null,
      prompt_tokens: null,
      completion_tokens: null,
      cost_usd: null,
      cached: false,
    })
  })

  it('names the pinned run', async () => {
    await runAt('pinned', 1)
    await runAt('pinned', 2)
    await spec.sendAs('write')('PUT', '/projects/chat/suites/pinned/baseline', {
      headers: { 'content-type': 'application/json' },
      body: { run_id: 'pinned-1' },
    })
    expect((await history('pinned')).baseline_run_id).toBe('pinned-1')
    await spec.sendAs('admin')('DELETE', '/runs/pinned-1')
    expect(await history('pinned')).toMatchObject({ baseline_run_id: null, points: [{ run_id: 'pinned-2' }] })
  })

  it('contains only runs of its suite', async () => {
    await runAt('here', 1)
    await spec.ingest(aDocument({ run_id: 'elsewhere', project: 'other', suite: 'here' }))
    await spec.ingest(aDocument({ run_id: 'nowhere', project: null, suite: null }))
    expect((await history('here')).points.map(({ run_id }) => run_id)).toEqual(['here-1'])
  })

  it('returns the same 404 for an unknown project, suite or key', async () => {
    for (const [project, suite, key] of [
      ['none', 'here', KEY],
      ['chat', 'none', KEY],
      ['chat', 'here', 'none'],
      ['other', 'order', KEY],
    ] as const) {
      const answer = await spec.sendAs('read')('GET', path(project, suite, key))
      expect([answer.statusCode, answer.body]).toEqual([404, '{"error":"case not found"}'])
    }
  })
})
