import { afterAll, describe, expect, it } from 'vitest'
import type { CaseStatus } from '../../../domain/run/document.ts'
import { pairedDifference } from '../../../domain/statistics/paired-rates.ts'
import { mcnemar, passRate } from '../../../domain/statistics/statistics.ts'
import type { ComparisonStatistics } from '../../../queries/statistics/comparison-statistics.ts'
import type { RunStatistics } from '../../../queries/statistics/run-statistics.ts'
import type { Trend } from '../../../queries/statistics/trend.ts'
import { aCase, aDocument, realDocuments, type ACase, type ADocument } from '../../support/documents/documents.ts'
import { openApp } from '../../support/servers/app.ts'

afterAll(() => spec.close())

const get = async (path: string, status = 200) => {
  const answer = await spec.sendAs('read')('GET', path)
  expect(answer.statusCode, answer.body).toBe(status)
  return answer
}
const ofRun = async (id: string, query = '') =>
  (await get(`/runs/${encodeURIComponent(id)}/statistics${query}`)).json<RunStatistics>()
const ofTwo = async (base: string, head: string, query = '') =>
  (await get(`/runs/${base}/compare/${head}/statistics${query}`)).json<ComparisonStatistics>()
const errorOf = async (path: string, status: number) => (await get(path, status)).json<{ error: string }>().error

const tests = (statuses: readonly CaseStatus[], more: (i: number) => Record<string, unknown> = () => ({})): ACase[] =>
  statuses.map((status, i) => {
    const { cell, ...fields } = more(i)
    return aCase({ status, cell: { test_id: `t${i}`, ...(cell as object | undefined) }, ...fields })
  })
const times = (n: number, status: CaseStatus): CaseStatus[] => new Array<CaseStatus>(n).fill(status)
const ingest = async (run_id: string, cases: readonly ACase[], more: Partial<ADocument> = {}): Promise<void> => {
  const answer = await spec.ingest(aDocument({ run_id, cases, ...more }))
  expect(answer.statusCode, answer.body).toBe(201)
}
const spec = await openApp()

describe('the statistics of a run', () => {
  it('are those published for a real run of four trials', async () => {
    const real = realDocuments().find(({ name }) => name.endsWith('gpt-4o_four-trials.json.gz'))
    if (!real) throw new Error('the real run is missing')
    await spec.ingest(real.bytes)
    const { run_id } = JSON.parse(real.bytes.toString()) as { run_id: string }
    const found = await ofRun(run_id)
    expect(found).toMatchObject({ units: 50, left_out: 0, decided: { passed: 84, total: 200 }, trials: { most: 4 } })
    expect(found.pass_k.map(({ pass_hat_k }) => Number(pass_hat_k?.toFixed(4)))).toEqual([0.42, 0.2733, 0.22, 0.2])
    expect(found.pass_k.map(({ pass_at_k }) => Number(pass_at_k?.toFixed(4)))).toEqual([0.42, 0.5667, 0.66, 0.72])
    expect(found.passes?.mean).toBeCloseTo(0.42, 12)
    expect(found.trials?.variance?.icc).toBeGreaterThan(0)
    expect((await ofRun(run_id, '?k=2')).pass_k).toMatchObject([{ k: 2, units: 50, left_out: 0 }])
    expect((await ofRun(run_id, '?k=5')).pass_k).toEqual([
      { k: 5, pass_at_k: null, pass_hat_k: null, units: 0, left_out: 50 },
    ])
  })

  it('leave out skipped cases and unknown measures', async () => {
    await ingest(
      'measured',
      tests(['pass', 'fail', 'skip', 'xfail', 'pass'], (i) => ({
        latency_ms: [100, 0, 7, 300, 200][i],
        cost_usd: [0.5, 0.25, null, null, 0][i],
        usage: { input_tokens: 10 * i, output_tokens: [5, 0, 9, 7, 1][i] },
        ...(i === 0 ? { model: 'model-2026' } : {}),
      })),
    )
    expect(await ofRun('measured')).toMatchObject({
      run: {
        id: 'measured',
        providers: ['model'],
        prompts: ['terse'],
        models: ['model-2026'],
        pass_rate: passRate(2, 5),
        cost: { systems_usd: 0.75, missing: 1, grading_usd: null },
      },
      decided: passRate(2, 3),
      left_out: 2,
      trials: null,
      latency_ms: { cases: 3, missing: 1, median: 200, total: 600 },
      output_tokens: { cases: 3, missing: 1, median: 5, total: 13 },
    })
  })

  it('are null where they are undefined', async () => {
    await ingest('single', [aCase()])
    expect(await ofRun('single')).toMatchObject({
      passes: null,
      scores: null,
      clustered: { by: 'test', passes: null, scores: null },
      trials: null,
      pass_k: [{ k: 1, pass_at_k: 1, pass_hat_k: 1 }],
    })
    await ingest('none', [])
    expect(await ofRun('none')).toMatchObject({
      units: 0,
      decided: passRate(0, 0),
      pass_k: [],
      latency_ms: { median: null },
    })
  })

  it('can be clustered by test, by tag and by variable', async () => {
    await ingest(
      'clusters',
      tests(['pass', 'pass', 'fail', 'fail'], (i) => ({
        tags: [i < 2 ? 'topic:a' : 'topic:b', 'other'],
        vars: { topic: i < 2 ? 'a' : 'b', n: i },
      })),
    )
    const groups = async (by: string) => (await ofRun('clusters', `?cluster_by=${by}`)).clustered
    expect(await groups('test')).toMatchObject({ by: 'test', passes: { groups: 4, few_groups: true } })
    expect(await groups('tag:topic:')).toMatchObject({ by: 'tag:topic:', passes: { groups: 2, mean: 0.5, df: 1 } })
    expect(await groups('var:topic')).toEqual({ ...(await groups('tag:topic:')), by: 'var:topic' })
    expect((await groups('var:n')).passes).toEqual((await groups('test')).passes)
  })

  it.each([
    ['k=0', 'k: must be an integer from 1 to 1000'],
    ['k=1.5', 'k: must be an integer from 1 to 1000'],
    ['cluster_by=', 'cluster_by: must be `test`, `tag:PREFIX` or `var:NAME`'],
    ['cluster_by=suite', 'cluster_by: must be `test`, `tag:PREFIX` or `var:NAME`'],
    ['cluster_by=tag:none', 'cluster_by: no case has a tag that begins with "none"'],
    ['cluster_by=var:none', 'cluster_by: no case has the variable "none"; some are topic, n'],
    ['other=1', 'unknown parameter "other"'],
  ])('reject %s', async (query, error) => expect(await errorOf(`/runs/clusters/statistics?${query}`, 400)).toBe(error))

  it('are not found for an unknown run', async () =>
    expect(await errorOf('/runs/unknown/statistics', 404)).toBe('run not found'))

  it('are refused for more cases than a thread should hold', async () => {
    await ingest('huge', [aCase()])
    await spec.execute(`UPDATE runs SET stored_cases = 200001 WHERE id = 'huge'`)
    const error = 'the runs have 200001 cases; statistics cover at most 200000'
    expect(await errorOf('/runs/huge/statistics', 422)).toBe(error)
    expect(await errorOf('/compare?runs=huge,clusters', 422)).toBe(error.replace('200001', '200005'))
  })
})

describe('the statistics of a comparison', () => {
  it('have the verdict, its test, the difference and the smallest difference that would be noticed', async () => {
    await ingest('base', tests([...times(12, 'pass'), ...times(4, 'fail'), 'skip']))
    await ingest('head', tests([...times(7, 'fail'), ...times(5, 'pass'), 'pass', ...times(3, 'fail'), 'pass']))
    const found = await ofTwo('base', 'head')
    expect(found).toMatchObject({
      base: { id: 'base', pass_rate: passRate(12, 17) },
      head: { id: 'head', pass_rate: passRate(7, 17) },
      joined_by: 'case_key',
      same_suite: true,
      shared: { cases: 17, base_share: 1, head_share: 1, base_only: 0, head_only: 0 },
      verdict: 'no_clear_change',
      pairs: 16,
      worse: 7,
      better: 1,
      still_passing: 5,
      still_failing: 3,
      left_out: 1,
      left_out_by: { neutral_then_passed: 1 },
      p_value: mcnemar(7, 1).p_value,
      difference: pairedDifference(7, 1, 16),
      assumes_independence: false,
      base_pairs: passRate(12, 16),
      head_pairs: passRate(6, 16),
      noticeable: { discordance: 0.5 },
      scores: { pairs: 16, base_mean: 0.75, head_mean: 0.375, difference: { mean: -0.375, df: 15 } },
      clustered: { by: 'test', passes: { groups: 16, few_groups: false } },
    })
    expect(found.mid_p).toBeCloseTo(0.0390625, 12)
    expect(found.scores?.bootstrap?.resamples).toBe(9_999)
    expect((await ofTwo('base', 'head')).scores).toEqual(found.scores)
    expect(await ofTwo('head', 'base')).toMatchObject({ worse: 1, better: 7, p_value: found.p_value })
  })

  it('call six worse cases worse, and five too few', async () => {
    await ingest('ten', tests(times(10, 'pass')))
    await ingest('six-worse', tests([...times(6, 'error'), ...times(4, 'pass')]))
    await ingest('five-worse', tests([...times(5, 'fail'), ...times(5, 'xpass')]))
    expect((await ofTwo('ten', 'six-worse')).verdict).toBe('worse')
    expect((await ofTwo('six-worse', 'ten')).verdict).toBe('better')
    expect((await ofTwo('ten', 'five-worse')).verdict).toBe('too_few')
  })

  it('join runs of different providers by test, prompt and repeat', async () => {
    const of = (provider_id: string, status: CaseStatus, prompt_id = 'terse') =>
      tests(times(3, status), () => ({ cell: { provider_id, prompt_id } }))
    await ingest('model-a', of('a', 'pass'))
    await ingest('model-b', of('b', 'fail'), { suite: 'other' })
    await ingest('model-c', of('c', 'fail', 'long'))
    expect(await ofTwo('model-a', 'model-b')).toMatchObject({
      joined_by: 'test_prompt_repeat',
      same_suite: false,
      pairs: 3,
      worse: 3,
      head: { providers: ['b'] },
    })
    expect(await ofTwo('model-a', 'model-c')).toMatchObject({ joined_by: 'test_repeat', pairs: 3 })
    await ingest('models', [...of('d', 'pass'), ...of('e', 'pass')])
    expect(await ofTwo('model-a', 'models')).toMatchObject({
      joined_by: 'case_key',
      pairs: 0,
      p_value: null,
      mid_p: null,
      difference: null,
      scores: null,
      verdict: 'too_few',
      shared: { cases: 0, base_share: 0, head_share: 0, base_only: 3, head_only: 6 },
      noticeable: { discordance: null, smallest_difference: null, pairs_needed: null },
    })
  })

  it('compare means of trials, and say that the test takes trials as independent', async () => {
    const trials = (passes: number) =>
      [0, 1, 2].flatMap((test) =>
        [0, 1, 2, 3].map((repeat) =>
          aCase({ cell: { test_id: `t${test}`, repeat }, status: repeat < passes - test ? 'pass' : 'fail' }),
        ),
      )
    await ingest('trials-base', trials(4))
    await ingest('trials-head', trials(3))
    expect(await ofTwo('trials-base', 'trials-head')).toMatchObject({
      assumes_independence: true,
      pairs: 12,
      worse: 3,
      scores: { pairs: 3, base_mean: 0.75, head_mean: 0.5, difference: { mean: -0.25, df: 2, se: 0 } },
      clustered: { passes: { groups: 3, few_groups: true, mean: -0.25 } },
    })
  })

  it('leave answers from a cache out of the ratios of measures', async () => {
    const cases = (scale: number, cached: number | null) =>
      tests(['pass', 'pass', 'pass'], (i) => ({ latency_ms: 100 * scale * (i + 1), cached: i === cached }))
    await ingest('first answers', cases(1, null))
    await ingest('one from a cache', cases(3, 1))
    expect((await ofTwo('first answers', 'one from a cache')).latency_ms).toMatchObject({
      pairs: 3,
      ratio: { estimate: expect.closeTo(3, 12) as unknown, pairs: 2 },
      from_cache: 1,
    })
  })

  it('compare measures of the cases that recorded them in both runs', async () => {
    const measured = (scale: number) =>
      tests(['pass', 'fail', 'pass', 'skip'], (i) => ({
        latency_ms: [100 * scale, 200 * scale, scale - 1, 999][i],
        ...(i === 1 ? { cost_usd: 0.5 * scale } : {}),
        usage: { input_tokens: 1, output_tokens: 10 * scale * (i + 1) },
      }))
    await ingest('slow', measured(2))
    await ingest('fast', measured(1))
    expect(await ofTwo('slow', 'fast')).toMatchObject({
      latency_ms: {
        pairs: 2,
        base_median: 300,
        head_median: 150,
        base_total: 600,
        head_total: 300,
        ratio: { estimate: expect.closeTo(0.5, 12) as unknown, pairs: 2, groups: 2, few_groups: true },
        from_cache: 0,
      },
      output_tokens: { pairs: 3, base_median: 40, head_median: 20 },
      cost_usd: { pairs: 1, base_median: 1, head_median: 0.5, base_total: 1, head_total: 0.5, ratio: null },
      base: { cost: { systems_usd: 1, missing: 2 } },
    })
  })

  it('are the same bytes for a hidden run as for an unknown one', async () => {
    await ingest('secret', tests(['pass']), { project: 'secret', suite: 'vault' })
    await spec.restrict('secret', 'vault')
    const stranger = await spec.addUser('stranger', 'viewer')
    for (const path of [
      '/runs/ID/statistics',
      '/runs/ID/compare/base/statistics',
      '/runs/base/compare/ID/statistics',
    ]) {
      const [hidden, unknown] = await Promise.all(
        ['secret', 'nothing'].map((id) => stranger.send('GET', path.replace('ID', id))),
      )
      expect([hidden?.statusCode, hidden?.body]).toEqual([404, unknown?.body])
    }
    expect((await spec.sendAs('admin')('GET', '/runs/secret/statistics')).statusCode).toBe(200)
  })
})

describe('the trend of a suite', () => {
  const trend = async (query = '', suite = 'trend') =>
    (await get(`/projects/chat/suites/${suite}/trend${query}`)).json<Trend>()
  const day = (n: number) => ({
    started_at: new Date(Date.UTC(2026, 0, n)).toISOString(),
    finished_at: new Date(Date.UTC(2026, 0, n, 1)).toISOString(),
  })
  const run = (n: number, passes: number, more: Partial<ADocument> = {}, cases = 20) =>
    ingest(`trend-${n}`, tests([...times(passes, 'pass'), ...times(cases - passes, 'fail')]), {
      suite: 'trend',
      ...day(n),
      ...more,
    })

  it('has like runs in order, with their interval, and where the rate changed', async () => {
    for (const n of [1, 2, 3, 4]) await run(n, 18)
    for (const n of [5, 6, 7, 8]) await run(n, 6, { git: { branch: 'main', commit: `c${n}` } })
    expect(await trend()).toMatchObject({
      project: 'chat',
      suite: 'trend',
      branch: null,
      providers: ['model'],
      runs: [1, 2, 3, 4, 5, 6, 7, 8].map((n) => ({
        id: `trend-${n}`,
        ...passRate(n < 5 ? 18 : 6, 20),
        left_out: 0,
        shared: 1,
        partial: false,
      })),
      other_runs: 0,
      has_older: false,
      changes: [
        {
          run_id: 'trend-5',
          before: { passed: 72, total: 80, rate: 0.9 },
          after: { passed: 24, total: 80, rate: 0.3 },
        },
      ],
      baseline: null,
    })
  })

  it('has what the cases measured, and where its level changed', async () => {
    const measured = (n: number, latency_ms: number, more: Record<string, unknown> = {}) =>
      ingest(
        `timed-${n}`,
        tests(times(20, 'pass'), (i) => ({ score: 0.5, latency_ms: latency_ms + i, cost_usd: 0.002, ...more })),
        { suite: 'timed', ...day(n) },
      )
    for (const n of [1, 2, 3]) await measured(n, 1_000 + n)
    for (const n of [4, 5, 6]) await measured(n, 3_000 + n)
    await measured(7, 50, { cached: true, cost_usd: null })
    const found = await trend('', 'timed')
    const figure = { cases: 20, from_cache: 0 }
    expect(found.runs[0]?.measures).toEqual({
      score: { value: 0.5, lower: 0.5, upper: 0.5, ...figure },
      cost_usd: { value: 0.002, lower: 0.002, upper: 0.002, ...figure },
      latency_p50_ms: { value: 1_010, lower: 1_006, upper: 1_014, ...figure },
      latency_p95_ms: { value: 1_019, lower: null, upper: null, ...figure },
      tokens: found.runs[0]?.measures.tokens,
    })
    expect(found.runs.at(-1)?.measures).toMatchObject({ cost_usd: null, latency_p50_ms: null, score: { value: 0.5 } })
    expect(found.measure_changes.latency_p50_ms).toEqual([
      { run_id: 'timed-4', before: expect.closeTo(1_011, 0) as number, after: expect.closeTo(3_014, 0) as number },
    ])
    expect(found.measure_changes).toMatchObject({ score: [], cost_usd: [] })
    expect(found.changes).toEqual([])
    await spec.sendAs('write')('PUT', '/projects/chat/suites/timed/baseline', { body: { run_id: 'timed-2' } })
    expect((await trend('', 'timed')).baseline?.measures.latency_p50_ms?.value).toBe(1_011)
    expect((await trend('?branch=none', 'timed')).baseline?.measures.latency_p50_ms?.value).toBe(1_011)
  })

  it('knows nothing of what runs measured that an earlier version stored', async () => {
    await spec.execute('UPDATE run_outlines SET measures = NULL')
    await ingest(
      'timed-8',
      tests(times(20, 'pass'), () => ({ latency_ms: 9 })),
      { suite: 'timed', ...day(8) },
    )
    const { runs } = await trend('', 'timed')
    expect(runs.map(({ measures }) => measures.latency_p50_ms?.value ?? null)).toEqual([
      ...new Array<null>(7).fill(null),
      9,
    ])
  })

  it('marks partial runs, which change nothing, and leaves out other providers', async () => {
    await run(9, 0, {}, 4)
    await ingest(
      'trend-10',
      tests(['fail'], () => ({ cell: { provider_id: 'other' } })),
      { suite: 'trend', ...day(3) },
    )
    await run(11, 6)
    const { runs, other_runs, changes } = await trend()
    expect(runs.filter(({ partial }) => partial)).toMatchObject([{ id: 'trend-9', shared: 0.2 }])
    expect(runs.map(({ id }) => id)).not.toContain('trend-10')
    expect(other_runs).toBe(1)
    expect(changes.map(({ run_id }) => run_id)).toEqual(['trend-5'])
  })

  it('can be of one branch', async () => {
    expect((await trend('?branch=main')).runs.map(({ id, git_commit }) => [id, git_commit])).toEqual(
      [5, 6, 7, 8].map((n) => [`trend-${n}`, `c${n}`]),
    )
    expect(await trend('?branch=none')).toMatchObject({ branch: 'none', runs: [], changes: [], providers: [] })
  })

  it('has the baseline, also where it is not among the runs', async () => {
    const pin = (run_id: string) =>
      spec.sendAs('write')('PUT', '/projects/chat/suites/trend/baseline', { body: { run_id } })
    expect((await pin('trend-2')).statusCode).toBe(200)
    expect(await trend()).toMatchObject({ baseline: { id: 'trend-2', ...passRate(18, 20), in_runs: true } })
    expect(await trend('?branch=main')).toMatchObject({ baseline: { id: 'trend-2', in_runs: false } })
  })

  it('follows an upload and a deletion', async () => {
    await run(12, 20)
    expect((await trend()).runs.at(-1)).toMatchObject({ id: 'trend-12', rate: 1 })
    expect((await spec.sendAs('admin')('DELETE', '/runs/trend-12')).statusCode).toBe(204)
    expect((await trend()).runs.at(-1)).toMatchObject({ id: 'trend-11' })
  })

  it('is not found for a hidden suite and for one without runs', async () => {
    const stranger = await spec.addUser('trend-stranger', 'viewer')
    const [hidden, unknown] = await Promise.all(
      ['/projects/secret/suites/vault/trend', '/projects/chat/suites/none/trend'].map((path) =>
        stranger.send('GET', path),
      ),
    )
    expect([hidden?.statusCode, hidden?.body]).toEqual([404, unknown?.body])
  })
})
