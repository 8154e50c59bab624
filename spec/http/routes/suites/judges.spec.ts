import { afterAll, expect, it } from 'vitest'
import type { RunDetail } from '../../../../queries/runs/run-detail.ts'
import type { PreviousRun } from '../../../../queries/runs/previous-run.ts'
import type { RunInSuite } from '../../../../queries/runs/run-in-suite.ts'
import type { ComparisonStatistics } from '../../../../queries/statistics/comparison-statistics.ts'
import type { Trend } from '../../../../queries/statistics/trend.ts'
import type { Overview } from '../../../../queries/sets/overview.ts'
import type { SuiteJudges } from '../../../../queries/reviews/judges.ts'
import { setKey } from '../../../../domain/sets.ts'
import { json, statusAndBody } from '../../../support/access/access-requests.ts'
import { aCase, aDocument } from '../../../support/documents/documents.ts'
import { openApp } from '../../../support/servers/app.ts'

const spec = await openApp({ now: () => Date.UTC(2026, 4, 4, 12) })
afterAll(() => spec.close())
const write = spec.sendAs('write')

type Fields = Readonly<Record<string, unknown>>
let minutes = 0
const GRADER = { provider: { type: 'openai', model: 'alias' } }
/** Uploads a run of two cases, a minute after the one before. */
const upload = async (run_id: string, asserts: Fields, more: Fields = {}) => {
  const at = new Date(Date.UTC(2026, 4, 4, 9, ++minutes)).toISOString()
  const cases = ['a', 'b'].map((test_id, n) =>
    aCase({
      cell: { test_id },
      asserts: [
        { kind: 'llm-rubric', status: n === 0 ? 'pass' : 'fail', score: 1 - n, weight: 1, reason: '', ...asserts },
      ],
    }),
  )
  const document = aDocument({
    ...{ run_id, project: 'chat', suite: 'tone', started_at: at, finished_at: at, cases },
    config_snapshot: { grader: GRADER },
    ...more,
  })
  expect((await spec.ingest(document)).statusCode).toBe(201)
}
/** Twenty cases that one judge decided. */
const manyCases = (model: string, passing: number) =>
  Array.from({ length: 20 }, (_, n) => {
    const status = n < passing ? 'pass' : 'fail'
    const score = n < passing ? 1 : 0
    const judged = { kind: 'llm-rubric', status, score, weight: 1, details: { judge: { model } } }
    return aCase({ cell: { test_id: `test-${n}` }, status, score, asserts: [judged] })
  })
const answeredBy = (model: string, criteria: Fields = {}): Fields => ({ criteria, details: { judge: { model } } })
const detail = (id: string) => spec.getJson<RunDetail>(`/runs/${id}`)
const judges = (suite: string) => spec.getJson<SuiteJudges>(`/projects/chat/suites/${suite}/judges`)
const declare = async (suite: string, body: object, send = write) =>
  statusAndBody(
    await send('POST', `/projects/chat/suites/${suite}/judges/declare`, { headers: json, body: JSON.stringify(body) }),
  )

it('a run has its judges with their verdicts, and says once that one changed', async () => {
  await upload('1', answeredBy('m-1'))
  await upload('2', answeredBy('m-1'))
  await upload('3', answeredBy('m-2'))
  await upload('4', answeredBy('m-2'))
  const first = await detail('1')
  expect(first.judges).toEqual([
    {
      metric: 'llm-rubric',
      judge_id: expect.stringMatching(/^[0-9a-f]{32}$/) as unknown,
      judge: {
        ...{ kind: 'llm-rubric', type: 'openai', model: 'm-1', params: {}, template: 'builtin/1' },
        ...{ include_tool_calls: false, negate: false, threshold: null, program: null },
      },
      ...{ passed: 1, failed: 1, other: 0 },
    },
  ])
  const after = (await detail('3')).judges?.[0]?.judge_id
  const change = { metric: 'llm-rubric', before: first.judges?.[0]?.judge_id, after, differs: ['model'] }
  expect((await detail('3')).judge_changed).toEqual([change])
  expect((await spec.getJson<PreviousRun>('/runs/3/previous')).judge_changed).toEqual([change])
  expect(await spec.getJson<RunInSuite>('/runs/3/in-suite')).toMatchObject({
    judges: [{ judge_id: after }],
    judge_changed: [change],
  })
  for (const id of ['1', '2', '4'])
    expect([
      id,
      'judge_changed' in (await detail(id)),
      'judge_changed' in (await spec.getJson<object>(`/runs/${id}/in-suite`)),
    ]).toEqual([id, false, false])
})

it('a kept answer follows the run before', async () => {
  await upload('k1', answeredBy('m-1'), { suite: 'kept' })
  await upload('k2', answeredBy('m-2'), { suite: 'kept' })
  await upload('k3', answeredBy('m-2'), { suite: 'kept' })
  expect((await detail('k3')).judge_changed).toBe(undefined)
  expect((await spec.sendAs('admin')('DELETE', '/runs/k2')).statusCode).toBe(204)
  expect((await detail('k3')).judge_changed).toMatchObject([{ differs: ['model'] }])
})

it('a run without a model of its judge has a judge that is not known, and is not said to have changed it', async () => {
  await upload('u1', {}, { suite: 'unknown', config_snapshot: null })
  await upload('u2', answeredBy('m-1'), { suite: 'unknown' })
  await upload('u3', {}, { suite: 'unknown', config_snapshot: null })
  expect((await detail('u1')).judges).toMatchObject([{ judge_id: null, passed: 1, failed: 1 }])
  for (const id of ['u2', 'u3']) expect((await detail(id)).judge_changed).toBe(undefined)
})

it('a run without judged assertions has neither', async () => {
  await upload('n1', { kind: 'contains' }, { suite: 'none' })
  const run = await detail('n1')
  expect(['judges' in run, 'judge_changed' in run]).toEqual([false, false])
})

it('a suite lists the judges of its metrics, those first that judged last', async () => {
  const found = await judges('tone')
  expect(found.metrics.map(({ metric, is_judge }) => [metric, is_judge])).toEqual([['llm-rubric', true]])
  expect(found.metrics[0]?.judges).toMatchObject([
    { judge: { model: 'm-2' }, runs: 2, passed: 2, failed: 2, other: 0, first_run: { id: '3' }, last_run: { id: '4' } },
    {
      judge: { model: 'm-1' },
      runs: 2,
      first_run: { id: '1', created_at: '2026-05-04T09:01:00+00:00' },
      last_run: { id: '2' },
    },
  ])
})

it('a comparison over two judges says so, in whichever order, and keeps its numbers', async () => {
  const statistics = (base: string, head: string) =>
    spec.getJson<ComparisonStatistics>(`/runs/${base}/compare/${head}/statistics`)
  expect((await statistics('2', '3')).judge_changed).toMatchObject([{ metric: 'llm-rubric', differs: ['model'] }])
  expect((await statistics('3', '1')).judge_changed).toMatchObject([{ differs: ['model'] }])
  expect(await statistics('2', '3')).toMatchObject({ pairs: 2, worse: 0, better: 0 })
  for (const [base, head] of [
    ['1', '2'],
    ['3', '4'],
    ['3', '3'],
  ] as const)
    expect('judge_changed' in (await statistics(base, head))).toBe(false)
})

it('a trend ends its line where the judge changed, and looks for no change across it', async () => {
  const suite = 'trend'
  // Its level changes with its judge, and once more under the second judge.
  const levels = [
    ['m-1', 20, 4],
    ['m-2', 10, 8],
    ['m-2', 2, 8],
  ] as const
  let n = 0
  for (const [model, passing, runs] of levels)
    for (let run = 0; run < runs; run++) await upload(`t${n++}`, {}, { suite, cases: manyCases(model, passing) })
  const trend = await spec.getJson<Trend>(`/projects/chat/suites/${suite}/trend`)
  expect(trend.judge_changes).toMatchObject([{ run_id: 't4', judges: [{ metric: 'llm-rubric', differs: ['model'] }] }])
  expect(trend.changes).toMatchObject([{ run_id: 't12', before: { passed: 80, total: 160 }, after: { passed: 16 } }])
  expect(trend.measure_changes.score.map(({ run_id }) => run_id)).toEqual(['t12'])
  expect((await spec.getJson<Trend>('/projects/chat/suites/tone/trend')).judge_changes).toHaveLength(1)
  expect(trend.judged).toBe(true)
  const withoutJudge = await spec.getJson<Trend>('/projects/chat/suites/none/trend')
  expect(['judge_changes' in withoutJudge, 'judged' in withoutJudge]).toEqual([false, false])
})

it('the overview names a suite whose judge changed in its newest run, after those that got worse', async () => {
  const project = 'looked at'
  const run = (suite: string, model: string, passing: number) =>
    upload(`${suite} ${minutes}`, {}, { project, suite, cases: manyCases(model, passing) })
  for (const model of ['m-1', 'm-2']) await run('swapped', model, 20)
  for (const passing of [20, 5]) await run('worse', 'm-1', passing)
  for (const model of ['m-1', 'm-2', 'm-2']) await run('settled', model, 20)
  const { suites } = await spec.getJson<Overview>(`/overview?project=${encodeURIComponent(project)}`)
  expect(suites.map(({ suite, group, reason }) => [suite, group, reason.code])).toEqual([
    ['worse', 'attention', 'worse'],
    ['swapped', 'attention', 'judge'],
    ['settled', 'steady', 'unchanged'],
  ])
  expect(suites[1]).toMatchObject({
    reason: { metrics: 1, differs: ['model'] },
    reason_text: 'The judge changed (model)',
  })
})

it('code is a judge where its suite says so', async () => {
  const program = (version: number): Fields => ({
    kind: 'exec',
    criteria: { name: 'sql', command: ['check', `v${version}`] },
  })
  await upload('c1', program(1), { suite: 'code' })
  await upload('c2', program(2), { suite: 'code' })
  const events = () => spec.column("SELECT count(*) FROM events WHERE type = 'JudgeDeclared'")
  expect((await detail('c2')).judges).toBe(undefined)
  expect((await judges('code')).metrics).toMatchObject([{ metric: 'sql', kind: 'exec', is_judge: false }])
  const body = { metric: 'sql', is_judge: true }
  expect(await declare('code', body)).toEqual([200, body])
  const before = await events()
  expect(await declare('code', body)).toEqual([200, body])
  expect(await events()).toEqual(before)
  expect(await detail('c2')).toMatchObject({
    judges: [{ metric: 'sql' }],
    judge_changed: [{ metric: 'sql', differs: ['program'] }],
  })
  expect((await judges('code')).metrics).toMatchObject([{ is_judge: true }])
  expect(await declare('code', { ...body, is_judge: false })).toEqual([200, { ...body, is_judge: false }])
  expect((await detail('c2')).judges).toBe(undefined)
})

it('a declaration needs a suite with runs, a name that can be stored, and the level upload', async () => {
  const body = { metric: 'sql', is_judge: true }
  expect(await declare('absent', body)).toMatchObject([404, { error: 'run set not found' }])
  expect(await declare('code', { ...body, metric: 'a\0' })).toMatchObject([422, {}])
  expect(await declare('code', { ...body, metric: '' })).toMatchObject([422, {}])
  expect(
    (
      await spec.sendAs('read')('POST', '/projects/chat/suites/code/judges/declare', {
        headers: json,
        body: JSON.stringify(body),
      })
    ).statusCode,
  ).toBe(403)
  expect((await write('GET', '/projects/chat/suites/absent/judges')).statusCode).toBe(404)
})

it('a suite declares no more judges than a run has metrics, until one of them ends', async () => {
  await upload('many', answeredBy('m-1'), { suite: 'many' })
  const key = setKey({ project: 'chat', suite: 'many' })
  const rows = Array.from({ length: 255 }, (_, n) => `('${key}', 'm${n}')`)
  await spec.execute(`INSERT INTO declared_judges (set_key, metric) VALUES ${rows.join(', ')}`)
  expect(await declare('many', { metric: 'last', is_judge: true })).toMatchObject([200, {}])
  const more = () => declare('many', { metric: 'more', is_judge: true })
  expect(await more()).toEqual([
    409,
    { error: 'metric: a suite has at most 256 declared judges: end one of them first' },
  ])
  expect(await declare('many', { metric: 'm7', is_judge: true })).toMatchObject([200, {}])
  expect(await declare('many', { metric: 'm7', is_judge: false })).toMatchObject([200, {}])
  expect(await more()).toMatchObject([200, {}])
})
