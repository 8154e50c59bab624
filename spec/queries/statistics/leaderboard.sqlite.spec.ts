import { afterAll, describe, expect, it } from 'vitest'
import type { CaseStatus } from '../../../domain/run/document.ts'
import { adjustForMany } from '../../../domain/statistics/many.ts'
import { meanInterval } from '../../../domain/statistics/means.ts'
import { mcnemar, passRate } from '../../../domain/statistics/statistics.ts'
import type { ComparedCases } from '../../../queries/statistics/compared-cases.ts'
import type { ComparisonStatistics } from '../../../queries/statistics/comparison-statistics.ts'
import type { Leaderboard } from '../../../queries/statistics/leaderboard.ts'
import type { RunStatistics } from '../../../queries/statistics/run-statistics.ts'
import { aCase, aDocument, type ACase } from '../../support/documents/documents.ts'
import { openApp } from '../../support/servers/app.ts'

afterAll(() => spec.close())
const spec = await openApp()

const upload = async (run_id: string, cases: readonly ACase[]): Promise<void> => {
  expect((await spec.ingest(aDocument({ run_id, cases }))).statusCode).toBe(201)
}
const passes = (n: number): CaseStatus[] => new Array<CaseStatus>(n).fill('pass')
const fails = (n: number): CaseStatus[] => new Array<CaseStatus>(n).fill('fail')
/** A column with one case for each status, each of another test. */
const column = (provider_id: string, prompt_id: string, statuses: readonly CaseStatus[], values: Partial<ACase> = {}) =>
  statuses.map((status, i) =>
    aCase({
      status,
      name: `test ${i}`,
      cell: { provider_id, prompt_id, test_id: `t${i}` },
      latency_ms: 100 * (i + 1),
      ...values,
    }),
  )
const leaderboard = (run_id: string, query = '') => spec.getJson<Leaderboard>(`/runs/${run_id}/leaderboard${query}`)

// Of twenty tests, `good` passes all, `same` fails one, `poor` fails twelve.
await upload('models', [
  ...column('poor', 'p', [...fails(12), ...passes(8)], { score: 0.25 }),
  ...column('good', 'p', passes(20), { score: 1, cost_usd: 0.5 }),
  ...column('same, 100 %', 'p', ['fail', ...passes(19)]),
])

describe('the leaderboard of a run', () => {
  it('lists the columns, the best first, with what they recorded', async () => {
    const { columns, column_count } = await leaderboard('models')
    expect(column_count).toBe(3)
    const [good, same, poor] = columns
    const { rate: mean, lower, upper } = passRate(20, 20)
    expect(good).toMatchObject({
      provider_id: 'good',
      prompt_id: 'p',
      cases: 20,
      tests: 20,
      most_trials: 1,
      passes: { mean, lower, upper },
      scores: { mean: 1 },
      pass_k: [],
      latency_ms: { median: 1000, p95: 1900 },
      cost_usd: 10,
      cost_missing: 0,
      against_base: null,
    })
    expect(same).toMatchObject({ provider_id: 'same, 100 %', cost_usd: null, cost_missing: 20 })
    expect(poor).toMatchObject({ provider_id: 'poor', passes: { mean: 0.4 }, scores: { mean: 0.25 } })
  })

  it('compares each with the best column, with p-values adjusted for their number', async () => {
    const { base, base_is_best, columns } = await leaderboard('models')
    expect([base, base_is_best]).toEqual([{ provider_id: 'good', prompt_id: 'p' }, true])
    const p = [mcnemar(1, 0), mcnemar(12, 0)].map(({ p_value }) => p_value)
    const [one, twelve] = adjustForMany(p)
    expect(columns.map(({ against_base }) => against_base)).toMatchObject([
      null,
      { verdict: 'too_few', pairs: 20, worse: 1, better: 0, p_value: p[0], adjusted_p: one },
      { verdict: 'worse', pairs: 20, worse: 12, better: 0, p_value: p[1], adjusted_p: twelve },
    ])
  })

  it('compares with the column that is asked for', async () => {
    const asked = await leaderboard('models', '?base=poor,p')
    expect([asked.base, asked.base_is_best]).toEqual([{ provider_id: 'poor', prompt_id: 'p' }, false])
    expect(asked.columns.map(({ against_base }) => against_base?.verdict)).toEqual(['better', 'better', undefined])
    const encoded = await leaderboard('models', `?base=${encodeURIComponent('same%2C 100 %25,p')}`)
    expect(encoded.base).toEqual({ provider_id: 'same, 100 %', prompt_id: 'p' })
  })

  it('joins the prompts of a provider if asked', async () => {
    await upload('prompts', [
      ...column('a', 'p', passes(3)),
      ...column('a', 'q', fails(3)),
      ...column('b', 'p', fails(3)),
    ])
    expect(
      (await leaderboard('prompts')).columns.map(({ provider_id, prompt_id }) => [provider_id, prompt_id]),
    ).toEqual([
      ['a', 'p'],
      ['a', 'q'],
      ['b', 'p'],
    ])
    const { columns, base } = await leaderboard('prompts', '?by=provider')
    expect(base).toEqual({ provider_id: 'a' })
    expect(columns.map(({ provider_id, cases, passes: each }) => [provider_id, cases, each?.mean])).toEqual([
      ['a', 6, 0.5],
      ['b', 3, 0],
    ])
  })

  it('counts the trials of a test once, in intervals and in comparisons', async () => {
    const trials = (provider_id: string, shares: readonly number[]) =>
      shares.flatMap((share, test) =>
        Array.from({ length: 4 }, (_, repeat) =>
          aCase({
            status: repeat < share * 4 ? 'pass' : 'fail',
            cell: { provider_id, prompt_id: 'p', test_id: `t${test}`, repeat },
          }),
        ),
      )
    const steady = [1, 1, 1, 0, 0, 1, 1, 1]
    const unsteady = [0.25, 0.5, 0.5, 0, 0, 0.5, 0.25, 0.75]
    await upload('trials', [...trials('steady', steady), ...trials('unsteady', unsteady)])
    const { columns } = await leaderboard('trials')
    expect(columns[0]).toMatchObject({ tests: 8, cases: 32, most_trials: 4, passes: { mean: 0.75 } })
    expect(columns[0]?.pass_k.map(({ k, pass_hat_k }) => [k, pass_hat_k])).toEqual([1, 2, 3, 4].map((k) => [k, 0.75]))
    const differences = meanInterval(unsteady.map((share, i) => share - steady[i]!))
    expect(columns[1]?.against_base).toMatchObject({
      pairs: 8,
      worse: 6,
      better: 0,
      verdict: 'worse',
      p_value: differences?.p_value,
      difference: { estimate: differences?.mean, lower: differences?.lower, upper: differences?.upper },
    })
    // 24 of 32 trials: an interval over trials would be narrower.
    const { lower, upper } = passRate(24, 32)
    const interval = columns[0]!.passes!
    expect(interval.upper! - interval.lower!).toBeGreaterThan(upper - lower)
    expect((await leaderboard('trials')).columns[0]?.passes).toEqual(interval)
  })

  it('compares the others also if a column has no test of the base', async () => {
    await upload('disjoint', [
      ...column('good', 'p', passes(8)),
      ...column('poor', 'q', fails(8)),
      aCase({ status: 'fail', cell: { provider_id: 'apart', prompt_id: 'p', test_id: 'another' } }),
    ])
    const { columns } = await leaderboard('disjoint')
    expect(columns.map(({ provider_id, against_base }) => [provider_id, against_base?.shared])).toEqual([
      ['good', undefined],
      ['poor', 8],
      ['apart', 0],
    ])
    expect(columns[1]?.against_base).toMatchObject({ verdict: 'worse', worse: 8, better: 0 })
  })

  it('lists the base that was asked for, however many columns are better', async () => {
    await upload('wide', [
      ...column('worst', 'p', ['fail']),
      ...Array.from({ length: 201 }, (_, i) => column(`better ${i}`, 'p', ['pass'])).flat(),
    ])
    const { base, column_count, columns } = await leaderboard('wide', '?base=worst,p')
    expect([base?.provider_id, column_count, columns.length]).toEqual(['worst', 202, 200])
    expect(columns.at(-1)).toMatchObject({ provider_id: 'worst', against_base: null })
    expect((await leaderboard('wide')).columns).toHaveLength(200)
  })

  it('is empty for a run without cases, and 404 for an unknown run', async () => {
    await upload('empty', [])
    expect(await leaderboard('empty')).toMatchObject({ base: null, column_count: 0, columns: [] })
    expect((await spec.sendAs('read')('GET', '/runs/unknown/leaderboard')).statusCode).toBe(404)
  })

  it.each([
    ['base=unknown', 'base: the run has no column \\"unknown\\"'],
    ['base=good', 'base: the run has no column \\"good\\"'],
    ['base=a,b,c', 'base'],
    ['by=prompt', 'by'],
  ])('refuses %s', async (query, reason) => {
    const answer = await spec.sendAs('read')('GET', `/runs/models/leaderboard?${query}`)
    expect(answer.statusCode).toBe(400)
    expect(answer.body).toContain(reason)
  })
})

describe('comparing columns', () => {
  const statistics = (query: string, path = '/runs/models/compare/models') =>
    spec.getJson<ComparisonStatistics>(`${path}/statistics?${query}`)

  it('of one run, pairs their tests', async () => {
    const found = await statistics('base_column=good&head_column=poor,p')
    expect(found).toMatchObject({
      joined_by: 'test_prompt_repeat',
      pairs: 20,
      worse: 12,
      better: 0,
      verdict: 'worse',
      base: { id: 'models', column: { provider_id: 'good' }, case_count: 20, pass_rate: { passed: 20, total: 20 } },
      head: { id: 'models', column: { provider_id: 'poor', prompt_id: 'p' }, pass_rate: { passed: 8, total: 20 } },
    })
    expect([found.base.cost.systems_usd, found.head.cost.systems_usd]).toEqual([10, null])
  })

  it('lists their cases in pairs', async () => {
    const list = (query: string) => spec.getJson<ComparedCases>(`/runs/models/compare/models/cases?${query}`)
    const forward = await list('base_column=good&head_column=poor')
    expect(forward.counts).toMatchObject({ worse: 12, better: 0, still_passing: 8, all: 20 })
    expect(forward.cases.map(({ test_id }) => test_id)).toEqual(Array.from({ length: 12 }, (_, i) => `t${i}`))
    // The other order of the same run is another list.
    expect((await list('base_column=poor&head_column=good')).counts).toMatchObject({ worse: 0, better: 12 })
    expect((await list('')).counts).toMatchObject({ worse: 0, better: 0, all: 60 })
  })

  it('of two runs, also with all of the other run', async () => {
    await upload('next', column('good', 'p', [...fails(7), ...passes(13)]))
    const found = await statistics('base_column=good', '/runs/models/compare/next')
    expect(found).toMatchObject({ joined_by: 'case_key', pairs: 20, worse: 7, head: { column: null } })
  })

  it.each(['statistics', 'cases'])('names a column without a case in %s', async (list) => {
    const answer = await spec.sendAs('read')(
      'GET',
      `/runs/models/compare/models/${list}?base_column=unknown&head_column=good`,
    )
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toEqual({
      error:
        'base_column: the run has no case in the column "unknown"; its columns are "poor", "good", "same%2C 100 %25"',
    })
  })

  it('gives the statistics of one column', async () => {
    const found = await spec.getJson<RunStatistics>('/runs/models/statistics?column=poor')
    expect(found).toMatchObject({
      run: { column: { provider_id: 'poor' }, case_count: 20, pass_rate: { passed: 8, total: 20 } },
      units: 20,
      errors: 0,
      scores: { mean: 0.25 },
    })
    expect((await spec.getJson<RunStatistics>('/runs/models/statistics')).units).toBe(60)
    const unknown = await spec.sendAs('read')('GET', '/runs/models/statistics?column=unknown')
    expect([unknown.statusCode, unknown.body]).toEqual([
      400,
      expect.stringContaining('column: the run has no case in the column') as string,
    ])
  })
})
