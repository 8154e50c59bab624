import { afterAll, describe, expect, it } from 'vitest'
import type { CaseList } from '../../../queries/cases/cases.ts'
import type { Distribution } from '../../../queries/cases/distribution.ts'
import { openApp } from '../../support/servers/app.ts'
import { aCase, aDocument, theExample, type ACase } from '../../support/documents/documents.ts'

afterAll(() => spec.close())

const distribution = (id: string): Promise<Distribution> => spec.getJson(`/runs/${id}/distribution`)
const upload = async (run_id: string, cases: readonly ACase[]) =>
  expect((await spec.ingest(aDocument({ run_id, cases }))).statusCode).toBe(201)
const counts = (overrides: object) => ({ pass: 0, fail: 0, error: 0, skip: 0, xfail: 0, xpass: 0, ...overrides })
const filled = ({ bins }: Distribution['score']) => bins.filter((bin) => Object.values(bin.counts).some((n) => n > 0))
const spec = await openApp()
await spec.ingest(theExample())

describe('the distribution of a run', () => {
  it('counts scores by status', async () => {
    const { score, cases, tests } = await distribution(theExample().run_id)
    expect([cases, tests]).toEqual([5, 3])
    expect({ ...score, bins: filled(score) }).toEqual({
      unknown: 0,
      median: 0.93,
      p95: 1,
      two_valued: false,
      bins: [
        { from: 0, to: 0.05, counts: counts({ skip: 1 }) },
        { from: 0.6, to: 0.65, counts: counts({ fail: 1 }) },
        { from: 0.9, to: 0.95, counts: counts({ pass: 1 }) },
        { from: 0.95, to: 1, counts: counts({ pass: 1, xpass: 1 }) },
      ],
    })
  })

  it('reports whether every score is 0 or 1', async () => {
    await upload('two-valued', [aCase(), aCase({ status: 'fail', cell: { repeat: 1 } })])
    expect((await distribution('two-valued')).score.two_valued).toBe(true)
  })

  it('counts a bounded number of different tags, and says so', async () => {
    const cases = Array.from({ length: 60 }, (_, n) =>
      aCase({
        cell: { test_id: `t${n}` },
        tags: ['common', ...Array.from({ length: 199 }, (_, i) => `g${n * 199 + i}`)],
      }),
    )
    await upload('all tags', cases.slice(0, 50))
    await upload('many tags', cases)
    expect(await distribution('all tags')).not.toHaveProperty('facets_capped')
    const { facets, facets_capped } = await distribution('many tags')
    expect(facets_capped).toEqual(['tag'])
    expect(facets.tag[0]).toEqual({ value: 'common', total: 60, passed: 60 })
    expect(facets.tag).toHaveLength(100)
  })

  it('treats a latency of 0 as not measured', async () => {
    await upload(
      'latency',
      [0, 100, 200, 90_000].map((latency_ms, repeat) => aCase({ latency_ms, cell: { repeat } })),
    )
    const { latency_ms } = await distribution('latency')
    expect({ ...latency_ms, bins: latency_ms.bins.length }).toEqual({ unknown: 1, median: 200, p95: 90_000, bins: 30 })
    expect([latency_ms.bins[0]?.from, latency_ms.bins.at(-1)?.to]).toEqual([100, 90_001])
  })

  it('has a median that leaves out skipped cases', async () => {
    await upload(
      'skips',
      [100, 200, 1, 1, 1].map((latency_ms, repeat) =>
        aCase({ latency_ms, status: repeat < 2 ? 'pass' : 'skip', cell: { repeat } }),
      ),
    )
    const { latency_ms, score } = await distribution('skips')
    expect([latency_ms.median, latency_ms.p95, score.median]).toEqual([100, 200, 1])
  })

  it('counts the cases of every filter value', async () => {
    await upload('facets', [
      aCase({ tags: ['a', 'b[]\\c'], stop_reason: 'end' }),
      aCase({ tags: ['a', 'a'], status: 'fail', cell: { repeat: 1 } }),
      aCase({ status: 'error', error: 'broke', cell: { repeat: 2 } }),
      aCase({ status: 'error', error: 'slow', error_class: 'timeout', cell: { repeat: 3, prompt_id: null } }),
    ])
    expect((await distribution('facets')).facets).toEqual({
      tag: [
        { value: 'a', total: 2, passed: 1 },
        { value: 'b[]\\c', total: 1, passed: 1 },
      ],
      provider: [{ value: 'model', total: 4, passed: 1 }],
      prompt: [{ value: 'terse', total: 3, passed: 1 }],
      stop_reason: [{ value: 'end', total: 1, passed: 1 }],
      error_class: [
        { value: 'timeout', total: 1, passed: 0 },
        { value: 'unknown', total: 1, passed: 0 },
      ],
      empty_reason: [],
    })
  })

  it('counts as many cases as each filter value selects', async () => {
    const { facets } = await distribution('facets')
    for (const [name, values] of Object.entries(facets)) {
      for (const { value, total } of values) {
        const answer = await spec.sendAs('read')(
          'GET',
          `/runs/facets/cases?${new URLSearchParams({ [name]: value }).toString()}`,
        )
        expect([name, value, answer.json<CaseList>().cases.length]).toEqual([name, value, total])
      }
    }
  })

  it('has the means of each column, where each test counts once, and those over its cases', async () => {
    await upload('columns', [
      aCase({ score: 1, latency_ms: 10, cost_usd: 0.01, cell: { provider_id: 'x', test_id: 'one' } }),
      aCase({
        score: 0,
        status: 'fail',
        latency_ms: 30,
        cost_usd: 0.02,
        cell: { provider_id: 'x', test_id: 'one', repeat: 1 },
      }),
      aCase({ score: 1, latency_ms: 40, cell: { provider_id: 'x', test_id: 'two' } }),
      aCase({ score: 0.25, latency_ms: 5, cell: { provider_id: 'y', prompt_id: null, test_id: 'two' } }),
    ])
    expect((await distribution('columns')).columns).toEqual([
      {
        provider_id: 'x',
        prompt_id: 'terse',
        tests: 2,
        score_tests: 2,
        latency_tests: 2,
        score_mean: 0.75,
        pass_fraction: 0.75,
        latency_ms_mean: 30,
        over_cases: {
          cases: 3,
          pass_fraction: 2 / 3,
          score_cases: 3,
          score_mean: 2 / 3,
          latency_cases: 3,
          latency_ms_mean: 80 / 3,
          cost_cases: 2,
          cost_usd_mean: 0.015,
        },
      },
      {
        provider_id: 'y',
        prompt_id: null,
        tests: 1,
        score_tests: 1,
        latency_tests: 1,
        score_mean: 0.25,
        pass_fraction: 1,
        latency_ms_mean: 5,
        over_cases: {
          ...{ cases: 1, pass_fraction: 1, score_cases: 1, score_mean: 0.25, latency_cases: 1, latency_ms_mean: 5 },
          ...{ cost_cases: 0, cost_usd_mean: null },
        },
      },
    ])
  })

  it('has means of columns that leave out skipped cases and unknown latencies', async () => {
    const inColumn = (provider_id: string, test_id: string, repeat = 0) => ({ cell: { provider_id, test_id, repeat } })
    await upload('skipped-columns', [
      aCase({ score: 1, latency_ms: 10, ...inColumn('x', 'one') }),
      aCase({ score: 0, status: 'skip', latency_ms: 9, ...inColumn('x', 'one', 1) }),
      aCase({ score: 0.5, status: 'fail', latency_ms: 30, ...inColumn('x', 'two') }),
      aCase({ score: 0.5, status: 'fail', latency_ms: 0, ...inColumn('x', 'two', 1) }),
      aCase({ score: 0, status: 'skip', latency_ms: 9, ...inColumn('x', 'three') }),
      aCase({ score: 0.5, status: 'fail', latency_ms: 0, ...inColumn('x', 'four') }),
      aCase({ score: 0, status: 'skip', latency_ms: 9, ...inColumn('y', 'one') }),
    ])
    expect((await distribution('skipped-columns')).columns).toMatchObject([
      {
        ...{ provider_id: 'x', tests: 4, score_tests: 3, latency_tests: 2, score_mean: 2 / 3, latency_ms_mean: 20 },
        over_cases: { cases: 7 - 1, pass_fraction: 1 / 6, score_cases: 4, score_mean: 0.625, latency_cases: 2 },
      },
      { provider_id: 'y', tests: 1, score_tests: 0, latency_tests: 0, score_mean: null, latency_ms_mean: null },
    ])
  })

  it('is empty for a run without cases', async () => {
    await upload('empty', [])
    expect(await distribution('empty')).toMatchObject({
      cases: 0,
      tests: 0,
      score: { unknown: 0, median: null, bins: [] },
      columns: [],
    })
  })

  it('counts every case of a run so large that the request is a long read', async () => {
    const many = Array.from({ length: 6_000 }, (_, repeat) =>
      aCase({ latency_ms: 1 + (repeat % 700), status: repeat % 3 ? 'pass' : 'fail', cell: { repeat } }),
    )
    await upload('many', many)
    const { cases, latency_ms, facets } = await distribution('many')
    expect([cases, facets.provider]).toEqual([6_000, [{ value: 'model', total: 6_000, passed: 4_000 }]])
    expect(latency_ms.bins.flatMap(({ counts: of }) => Object.values(of)).reduce((sum, n) => sum + n, 0)).toBe(6_000)
  })

  it('returns 404 for an unknown run', async () =>
    expect((await spec.sendAs('read')('GET', '/runs/none/distribution')).statusCode).toBe(404))
})

describe('cases between two bounds', () => {
  const places = async (query: string) =>
    (await spec.sendAs('read')('GET', `/runs/${theExample().run_id}/distribution/cases?${query}`))
      .json<CaseList>()
      .cases.map(({ idx }) => idx)
  it('include the lower bound and exclude the upper bound', async () => {
    expect(await places('score_from=0.6&score_below=0.93')).toEqual([1])
    expect(await places('latency_from=350&latency_below=811')).toEqual([0, 2, 3])
    expect(await places('latency_from=351')).toEqual([0, 1, 3])
  })
  it('exclude cases whose latency was not measured', async () => {
    const answer = await spec.sendAs('read')('GET', '/runs/latency/distribution/cases?latency_below=150')
    expect(answer.json<CaseList>().cases.map(({ latency_ms }) => latency_ms)).toEqual([100])
  })
  it('require numbers as bounds', async () =>
    expect((await spec.sendAs('read')('GET', '/runs/latency/distribution/cases?latency_from=soon')).statusCode).toBe(
      400,
    ))
})
