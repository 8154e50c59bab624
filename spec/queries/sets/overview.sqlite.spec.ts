import { afterAll, describe, expect, it } from 'vitest'
import type { Overview } from '../../../queries/sets/overview.ts'
import { openApp } from '../../support/servers/app.ts'
import { aCase, aDocument } from '../../support/documents/documents.ts'
import { casesOfLetters } from '../../support/documents/letters.ts'

const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 4, 20, 12)

const closeTo = (value: number, digits = 12): unknown => expect.closeTo(value, digits)
afterAll(() => spec.close())

/** Uploads a run for each text, oldest first, the last one `age` days ago: a letter for the status of each case. */
const uploadRuns = async (
  project: string | null,
  suite: string | null,
  runs: readonly string[],
  {
    age = 1,
    provider = () => 'model',
    more = {},
  }: { age?: number; provider?: (n: number) => string; more?: object } = {},
): Promise<void> => {
  for (const [n, letters] of runs.entries()) {
    const cases = casesOfLetters(letters, { provider_id: provider(n) })
    const finished_at = new Date(NOW - (age + runs.length - 1 - n) * DAY_MS).toISOString()
    const document = aDocument({ run_id: `${project}-${suite}-${n}`, project, suite, finished_at, cases, ...more })
    const answer = await spec.ingest(document, { caller: 'admin' })
    expect(answer.statusCode, answer.body).toBe(201)
  }
}
const overview = (query = '', caller: 'admin' | 'read' | null = 'admin'): Promise<Overview> =>
  spec.getJson<Overview>(`/overview${query}`, caller)
const times = (count: number, text: string): string[] => Array.from({ length: count }, () => text)
const spec = await openApp({ mode: 'open', now: () => NOW })
await spec.restrict('dark')

describe('the overview', () => {
  it('is empty in an empty service', async () =>
    expect(await overview()).toEqual({
      suites: [],
      next_cursor: null,
      counts: { suites: 0, attention: 0, steady: 0, no_trend: 0, snoozed: 0, quiet: 0, archived: 0 },
      projects: [],
      activity: { days: [], runs: 0, cost_usd: null, grader_cost_usd: null, runs_without_cost: 0 },
      latest_runs: [],
    }))

  it('lists every suite, worst first, each with one reason', async () => {
    await uploadRuns('a', 'first', ['ppff'])
    await uploadRuns('a', 'models', ['pp', 'pf', 'ff'], { provider: (n) => `model-${n}` })
    await uploadRuns('a', 'cases', ['pp', '..pp'], { age: 2 })
    await uploadRuns('b', 'steady', ['ppff', 'ppff'])
    await uploadRuns('b', 'few', ['ppff', 'pfff'], { age: 3 })
    await uploadRuns('b', 'lost', ['pppppppppp', 'psssssfppp'])
    await uploadRuns('b', 'worse', ['pppppppppp', 'ffffffffpp'])
    await uploadRuns('b', 'flaky', [
      ...times(3, 'pfpp'),
      ...'01010101'.split('').map((n) => (n === '0' ? 'pfpf' : 'fpfp')),
    ])
    await uploadRuns('b', 'errors', ['ppee', 'ppee'])
    await uploadRuns('b', 'stale', ['pp', 'pp', 'pp'], { age: 16 })
    const { suites, counts, projects, next_cursor } = await overview()
    expect(suites.map(({ suite, group, reason_text }) => `${suite} ${group}: ${reason_text}`)).toEqual([
      'worse attention: Down 80.0 points: 8 worse, 0 better',
      'lost attention: Down 60.0 points: 5 passes no longer run; 1 worse, 0 better',
      'flaky attention: 4 cases flip between pass and fail',
      'errors attention: 2 cases ended in error',
      'stale attention: No run for 16 days, usually every day',
      'steady steady: No case changed',
      'few steady: 1 worse, 0 better: too few to call',
      'first no_trend: First run',
      'models no_trend: 3 runs, each another model',
      "cases no_trend: 2 runs, none with most of the newest run's cases",
    ])
    expect(counts).toMatchObject({ suites: 10, attention: 5, steady: 2, no_trend: 3 })
    expect(projects).toEqual([
      { project: 'a', suite_count: 3 },
      { project: 'b', suite_count: 7 },
    ])
    expect(next_cursor).toBeNull()
  })

  it('has the numbers of each suite', async () => {
    const { suites } = await overview()
    expect(suites.find(({ suite }) => suite === 'lost')).toEqual({
      project: 'b',
      suite: 'lost',
      group: 'attention',
      attention: true,
      reason: {
        code: 'lost',
        worse: 1,
        better: 0,
        lost: 5,
        regained: 0,
        p: 1,
        q: 1,
        points: -60,
      },
      reason_text: 'Down 60.0 points: 5 passes no longer run; 1 worse, 0 better',
      newest_run: {
        id: 'b-lost-1',
        project: 'b',
        suite: 'lost',
        created_at: '2026-05-19T12:00:00+00:00',
        note: null,
        git_branch: null,
        git_commit: null,
        case_count: 10,
        pass_count: 4,
        fail_count: 1,
        error_count: 0,
        pass_rate: {
          passed: 4,
          total: 10,
          rate: 0.4,
          lower: closeTo(0.168, 3),
          upper: closeTo(0.687, 3),
        },
      },
      previous_run: {
        id: 'b-lost-0',
        created_at: '2026-05-18T12:00:00+00:00',
        pass_rate: { passed: 10, total: 10, rate: 1, lower: closeTo(0.722, 3), upper: closeTo(1, 12) },
      },
      worse: 1,
      better: 0,
      lost: 5,
      regained: 0,
      p: 1,
      q: 1,
      assumes_independence: false,
      flaky_count: null,
      like_run_count: 2,
      run_count: 2,
      usual_gap_ms: null,
      pass_rates: [1, 0.4],
      baseline: null,
      restricted: false,
      settings: null,
    })
    expect(suites.find(({ suite }) => suite === 'flaky')).toMatchObject({
      flaky_count: 4,
      like_run_count: 11,
      usual_gap_ms: DAY_MS,
    })
    expect(suites.find(({ suite }) => suite === 'first')).toMatchObject({
      previous_run: null,
      worse: null,
      p: null,
      q: null,
      pass_rates: [],
      usual_gap_ms: null,
    })
  })

  it('has the same suites in pages, and the rest of the answer on every page', async () => {
    const whole = await overview()
    const paged: Overview['suites'] = []
    let cursor: string | null = ''
    for (; cursor !== null;) {
      const { suites, next_cursor, ...rest }: Overview = await overview(`?limit=3&cursor=${cursor}`)
      expect({ ...whole, ...rest }).toEqual(whole)
      paged.push(...suites)
      cursor = next_cursor
    }
    expect(paged).toEqual(whole.suites)
  })

  it('is about some projects only, and about what needs attention only', async () => {
    const one = await overview('?project=a')
    expect(one.suites.map(({ suite }) => suite)).toEqual(['first', 'models', 'cases'])
    expect(one.counts).toMatchObject({ suites: 3, attention: 0, steady: 0, no_trend: 3 })
    expect(one.projects).toHaveLength(2)
    expect(one.latest_runs.every(({ project }) => project === 'a')).toBe(true)
    expect((await overview('?project=a&project=b')).counts.suites).toBe(10)
    expect((await overview('?project=none')).suites).toEqual([])
    const urgent = await overview('?attention=true')
    expect(urgent.suites.map(({ suite }) => suite)).toEqual(['worse', 'lost', 'flaky', 'errors', 'stale'])
    expect(urgent.counts.suites).toBe(10)
    expect((await overview('?attention=false')).suites).toHaveLength(5)
  })

  it('adjusts the p-values of the suites that are asked for', async () => {
    const q = async (query: string) => (await overview(query)).suites.find(({ suite }) => suite === 'worse')?.q
    expect(await q('')).toBeCloseTo(2 ** -7 * 7, 12)
    await uploadRuns('e', 'more', ['pp', 'pp'], { age: 5 })
    expect(await q('')).toBeCloseTo(2 ** -7 * 8, 12)
    expect(await q('?project=b')).toBeCloseTo(2 ** -7 * 7, 12)
    for (const n of [0, 1]) await spec.sendAs('admin')('DELETE', `/runs/e-more-${n}`)
  })

  it('has the runs and the costs of the days up to the newest run', async () => {
    await uploadRuns(null, null, ['p'], { age: 0, more: { summary: { cost_usd: 0.25, grader_cost_usd: 1 } } })
    await uploadRuns('c', null, ['p', 'p'], { age: 0, more: { summary: { cost_usd: 0.5 } } })
    const { activity, latest_runs, suites } = await overview()
    expect(suites).toHaveLength(10)
    expect(activity.days).toHaveLength(14)
    expect(activity.days[0]).toMatchObject({ date: '2026-05-07' })
    expect(activity.days[13]).toEqual({
      date: '2026-05-20',
      runs: 2,
      cost_usd: 0.75,
      grader_cost_usd: 1,
      runs_without_cost: 0,
    })
    expect(activity.days[12]).toMatchObject({ runs: 8, cost_usd: 0.5, grader_cost_usd: null, runs_without_cost: 7 })
    expect(activity.runs).toBe(activity.days.reduce((sum, { runs }) => sum + runs, 0))
    expect(activity.cost_usd).toBe(1.25)
    expect(latest_runs).toHaveLength(6)
    expect(latest_runs.map(({ id }) => id).slice(0, 2)).toEqual(['null-null-0', 'c-null-1'])
    expect((await overview('?project=c')).activity).toMatchObject({ runs: 2, cost_usd: 1 })
  })

  it('changes with an upload, a pin and a deletion', async () => {
    const stateOf = async (suite: string) => (await overview()).suites.find((each) => each.suite === suite)
    await uploadRuns('d', 'moving', ['pp'])
    expect(await stateOf('moving')).toMatchObject({
      run_count: 1,
      baseline: null,
      reason: { code: 'first_run', is_baseline: false },
    })
    const json = { headers: { 'content-type': 'application/json' } }
    await spec.sendAs('admin')('PUT', '/projects/d/suites/moving/baseline', { ...json, body: { run_id: 'd-moving-0' } })
    expect(await stateOf('moving')).toMatchObject({
      baseline: { run_id: 'd-moving-0', pass_rate: { passed: 2, total: 2 } },
      reason: { is_baseline: true },
    })
    await spec.ingest(
      aDocument({
        run_id: 'd-moving-1',
        project: 'd',
        suite: 'moving',
        cases: [aCase({ cell: { test_id: 'test-0' } })],
      }),
      {
        caller: 'admin',
      },
    )
    expect(await stateOf('moving')).toMatchObject({ run_count: 2 })
    await spec.sendAs('admin')('DELETE', '/runs/d-moving-0')
    expect(await stateOf('moving')).toMatchObject({ run_count: 1, baseline: null, newest_run: { id: 'd-moving-1' } })
    await spec.sendAs('admin')('DELETE', '/runs/d-moving-1')
    expect(await stateOf('moving')).toBeUndefined()
  })

  it('shows nothing of hidden suites: not in a q-value, a count, a day, a project or a header', async () => {
    const raw = async () => {
      const { statusCode, headers, body } = await spec.sendAs('read')('GET', '/overview')
      const { 'x-request-id': _, date: __, ...rest } = headers
      return { statusCode, headers: rest, body }
    }
    const before = await raw()
    await uploadRuns('dark', 'worse', ['pppppppppp', 'ffffffffff'], { age: 0 })
    await uploadRuns('dark', null, ['p'], { age: 0, more: { summary: { cost_usd: 5 } } })
    await uploadRuns('dark', 'pinned', ['pp'], { age: 0 })
    expect(await raw()).toEqual(before)
    const all = await overview()
    expect(all.counts.suites).toBe(12)
    expect(all.suites[0]).toMatchObject({ project: 'dark', suite: 'worse', restricted: true })
    expect((await overview('', 'read')).counts.suites).toBe(10)
    expect(await raw()).toEqual(before)
    expect(await overview('?project=dark', 'read')).toMatchObject({
      suites: [],
      latest_runs: [],
      activity: { days: [] },
    })
    const user = await spec.addUser('ann')
    await spec.grant('ann', 'view', 'dark', 'worse')
    const seen = (await spec.sendWithToken(user.token)('GET', '/overview?project=dark')).json<Overview>()
    expect(seen.suites.map(({ suite }) => suite)).toEqual(['worse'])
    expect(seen).toMatchObject({ activity: { runs: 2, cost_usd: null }, counts: { suites: 1 } })
  })

  it('has a higher cost or latency of the cases that two runs share as a reason, with its ratio', async () => {
    const measured = async (suite: string, factors: readonly number[], cached = false) => {
      for (const [n, factor] of factors.entries()) {
        const cases = Array.from({ length: 20 }, (_, i) =>
          aCase({
            cell: { test_id: `t${i}` },
            cost_usd: 0.001 * (i + 1) * factor,
            latency_ms: (100 + (i % 3)) * (i + 1),
            cached,
          }),
        )
        const finished_at = new Date(NOW - (5 - n) * DAY_MS).toISOString()
        const document = aDocument({ run_id: `m-${suite}-${n}`, project: 'm', suite, finished_at, cases })
        expect((await spec.ingest(document, { caller: 'admin' })).statusCode).toBe(201)
      }
    }
    await measured('dearer', [1, 1.4])
    await measured('cheaper', [1.4, 1])
    await measured('a little dearer', [1, 1.2])
    await measured('from a cache', [1, 1.4], true)
    const { suites } = await overview('?project=m')
    expect(suites.map(({ suite, group, reason_text }) => `${suite} ${group}: ${reason_text}`).sort()).toEqual([
      'a little dearer steady: No case changed',
      'cheaper steady: No case changed',
      'dearer attention: A typical case costs 1.4 times as much, 20 shared cases',
      'from a cache steady: No case changed',
    ])
    expect(suites[0]?.reason).toMatchObject({ code: 'cost', ratio: closeTo(1.4, 6), pairs: 20, q: closeTo(0, 6) })
  })

  it('does not know the ratio of runs that an earlier version stored', async () => {
    await spec.execute('UPDATE run_outlines SET measures = NULL')
    const document = aDocument({
      run_id: 'm-dearer-9',
      project: 'm',
      suite: 'dearer',
      finished_at: new Date(NOW).toISOString(),
    })
    expect((await spec.ingest(document, { caller: 'admin' })).statusCode).toBe(201)
    expect((await overview('?project=m')).suites.find(({ suite }) => suite === 'dearer')?.reason.code).not.toBe('cost')
  })

  it('is unchanged for a client that asks again', async () => {
    const { etag } = (await spec.sendAs('admin')('GET', '/overview')).headers
    const again = await spec.sendAs('admin')('GET', '/overview', { headers: { 'if-none-match': String(etag) } })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  })

  it('is made once a minute while nothing changes', async () => {
    let time = NOW
    let made = 0
    const later = await openApp({
      now: () => time,
      parts: ({ cache }) => ({
        cache: {
          ...cache,
          answer: (key, asker, tags, aborted, fill) =>
            cache.answer(key, asker, tags, aborted, (signal) => (made++, fill(signal))),
        },
      }),
    })
    for (let n = 0; n < 3; n++)
      await later.ingest(aDocument({ run_id: `r${n}`, finished_at: new Date(NOW - n * 60_000).toISOString() }))
    const reason = async () => (await later.sendAs('read')('GET', '/overview')).json<Overview>().suites[0]?.reason_text
    const first = await reason()
    time += 59_999
    expect([await reason(), made]).toEqual([first, 1])
    time += 30 * 86_400_000
    expect(await reason()).toMatch(/^No run for 30 days/)
    expect(made).toBe(2)
    await later.ingest(aDocument({ run_id: 'r3', finished_at: new Date(time).toISOString() }))
    expect([await reason(), made]).toEqual([first, 3])
    await later.close()
  })

  it.each(['attention=maybe', 'limit=x', 'attention=true&attention=true', 'suite=x'])('rejects %s', async (query) => {
    const answer = await spec.sendAs('admin')('GET', `/overview?${query}`)
    expect(answer.statusCode).toBe(400)
    expect(answer.body).toContain(query.split('=')[0])
  })
})
