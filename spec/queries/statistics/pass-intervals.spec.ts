import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import type { CaseStatus } from '../../../domain/run/document.ts'
import { passRate, runPassRate } from '../../../domain/statistics/statistics.ts'
import type { SuiteGrid } from '../../../queries/cases/grid.ts'
import type { RunDetail } from '../../../queries/runs/run-detail.ts'
import type { RunList } from '../../../queries/runs/run-list.ts'
import type { Overview } from '../../../queries/sets/overview.ts'
import type { ComparisonStatistics } from '../../../queries/statistics/comparison-statistics.ts'
import type { Leaderboard } from '../../../queries/statistics/leaderboard.ts'
import type { RunStatistics } from '../../../queries/statistics/run-statistics.ts'
import type { Trend } from '../../../queries/statistics/trend.ts'
import { aCase, aDocument, realDocuments, type ADocument } from '../../support/documents/documents.ts'
import { openApp } from '../../support/servers/app.ts'

// Trials of a test depend on each other: wherever the pass rate of a run has an interval, it is over tests.

const spec = await openApp()
afterAll(() => spec.close())

it('is 32.0 % to 52.0 % of a real run with four trials of each of 50 tests, wherever it is said', async () => {
  const real = realDocuments().find(({ name }) => name.endsWith('gpt-4o_four-trials.json.gz'))
  if (!real) throw new Error('the real run is missing')
  const document = JSON.parse(real.bytes.toString()) as ADocument & { project: string; suite: string }
  const { run_id, project, suite } = document
  await spec.ingest(real.bytes)
  await spec.ingest({ ...document, run_id: 'again', finished_at: '2026-11-01T00:00:00Z' })
  await spec.sendAs('write')('PUT', `/projects/${project}/suites/${suite}/baseline`, { body: { run_id } })

  const path = `/projects/${project}/suites/${suite}`
  const runs = (await spec.getJson<RunList>('/runs')).runs.map(runPassRate)
  const detail = runPassRate(await spec.getJson<RunDetail>(`/runs/${run_id}`))
  const [found] = (await spec.getJson<Overview>('/overview')).suites
  const trend = await spec.getJson<Trend>(`${path}/trend`)
  const grid = (await spec.getJson<SuiteGrid>(`${path}/grid`)).runs.map(runPassRate)
  const statistics = await spec.getJson<RunStatistics>(`/runs/${run_id}/statistics`)
  const pair = await spec.getJson<ComparisonStatistics>(`/runs/${run_id}/compare/again/statistics`)
  const rates = [
    ...runs,
    detail,
    found?.newest_run.pass_rate,
    found?.previous_run?.pass_rate,
    found?.baseline?.pass_rate,
    ...trend.runs,
    trend.baseline,
    ...grid,
    statistics.run.pass_rate,
    statistics.decided,
    pair.base.pass_rate,
    pair.head.pass_rate,
    pair.base_pairs,
    pair.head_pairs,
  ]
  expect(rates).toHaveLength(17)
  for (const rate of rates) {
    expect(rate).toMatchObject({ passed: 84, total: 200, rate: 0.42 })
    expect([rate?.lower.toFixed(3), rate?.upper.toFixed(3)]).toEqual(['0.320', '0.520'])
  }
  const [line] = (await spec.getJson<Leaderboard>(`/runs/${run_id}/leaderboard`)).columns
  expect(detail.lower).toBeCloseTo(line?.passes?.lower ?? Number.NaN, 12)
  expect(detail.upper).toBeCloseTo(line?.passes?.upper ?? Number.NaN, 12)
  const badge = await spec.sendAs('read')('GET', `${path}/badge.svg`)
  expect(badge.body).toContain('95% interval 32.0% to 52.0%')
})

it('is the same in the list, in the detail and in the statistics of any run', async () => {
  const statuses = fc.array(fc.constantFrom<CaseStatus>('pass', 'fail', 'error', 'skip'), {
    minLength: 1,
    maxLength: 3,
  })
  let runs = 0
  await fc.assert(
    fc.asyncProperty(fc.array(statuses, { minLength: 1, maxLength: 6 }), async (tests) => {
      const run_id = `drawn-${runs++}`
      const cases = tests.flatMap((trials, i) =>
        trials.map((status, repeat) => aCase({ status, cell: { test_id: `t${i}`, repeat } })),
      )
      expect((await spec.ingest(aDocument({ run_id, cases }))).statusCode).toBe(201)
      const detail = await spec.getJson<RunDetail>(`/runs/${run_id}`)
      const item = (await spec.getJson<RunList>('/runs?limit=200')).runs.find(({ id }) => id === run_id)
      expect(item?.pass_interval).toEqual(detail.pass_interval)
      expect('pass_interval' in detail).toBe(tests.some(({ length }) => length > 1))
      const { run } = await spec.getJson<RunStatistics>(`/runs/${run_id}/statistics`)
      expect(run.pass_rate).toEqual(runPassRate(detail))
      if (!detail.pass_interval) expect(run.pass_rate).toEqual(passRate(detail.pass_count, detail.case_count))
    }),
    { numRuns: 20 },
  )
})
