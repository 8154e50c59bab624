import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CASE_STATUSES } from '../../../domain/run/document.ts'
import { packMeasures, readMeasures, STORED_MEASURES, type MeasuredCase } from '../../../domain/series/measures.ts'
import { packOutline, readOutline } from '../../../domain/series/outline.ts'
import { levelChanges, runFigures } from '../../../domain/series/run-figures.ts'
import { rememberedRanks } from '../../../domain/statistics/quantile-interval.ts'

const nothing: MeasuredCase = {
  status: 'pass',
  score: null,
  cost_micro: null,
  latency_ms: null,
  prompt_tokens: null,
  completion_tokens: null,
  cached: null,
}
const count = fc.option(fc.nat())
const item = fc.record({
  status: fc.constantFrom(...CASE_STATUSES),
  score: fc.option(fc.double({ noNaN: true })),
  cost_micro: fc.option(fc.integer()),
  latency_ms: count,
  prompt_tokens: count,
  completion_tokens: count,
  cached: fc.option(fc.boolean()),
})
const allOf = (measures: ReturnType<typeof readMeasures>, i: number) =>
  STORED_MEASURES.map((name) => measures.value(name, i))

describe('what the cases of a run measured', () => {
  it('is read as it was packed: nothing of a skipped case, no time and no count of 0', () =>
    fc.assert(
      fc.property(fc.array(item), (cases) => {
        const measures = readMeasures(packMeasures(cases))
        expect(measures.size).toBe(cases.length)
        for (const [i, { status, cached, score, cost_micro, ...counts }] of cases.entries()) {
          expect(measures.isCached(i)).toBe(cached === true)
          const isDecided = status !== 'skip' && status !== 'xfail'
          const given = [
            isDecided ? (score ?? NaN) : NaN,
            cost_micro ?? NaN,
            counts.latency_ms || NaN,
            counts.prompt_tokens || NaN,
            counts.completion_tokens || NaN,
          ]
          expect(allOf(measures, i)).toEqual(status === 'skip' ? [NaN, NaN, NaN, NaN, NaN] : given)
        }
      }),
    ))

  it('takes no room for what no case recorded', () => {
    expect(packMeasures([nothing, nothing])).toHaveLength(3)
    expect(packMeasures([])).toHaveLength(1)
    expect(allOf(readMeasures(packMeasures([nothing])), 0)).toEqual([NaN, NaN, NaN, NaN, NaN])
  })

  it('never changes its form, because stored rows have it', () =>
    expect(packMeasures([{ ...nothing, score: 0.5, latency_ms: 1000, cached: true }, nothing]).toString('hex')).toBe(
      '050100000000000000e03f000000000000f87f0000000000408f40000000000000f87f',
    ))
})

const figuresOf = (cases: ReadonlyArray<Partial<MeasuredCase> & { readonly test_id?: string }>) => {
  const outlined = cases.map((more, n) => ({
    n,
    history_key: n,
    status: more.status ?? 'pass',
    provider_id: 'p',
    prompt_id: null,
    test_id: more.test_id ?? `t${n}`,
    prompt_digest: null,
    provider_digest: null,
    assert_digest: null,
  }))
  return runFigures(
    readOutline(packOutline(outlined)),
    readMeasures(packMeasures(cases.map((more) => ({ ...nothing, ...more })))),
    rememberedRanks(),
  )
}
const times = (n: number, of: (i: number) => Parameters<typeof figuresOf>[0][number]) =>
  Array.from({ length: n }, (_, i) => of(i))

describe('the figures of a run', () => {
  it('are the mean score, and quantiles of the other measures, by nearest rank', () => {
    const found = figuresOf(
      times(100, (i) => ({
        score: i < 40 ? 1 : 0,
        cost_micro: i + 1,
        latency_ms: (i + 1) * 10,
        prompt_tokens: 100,
        completion_tokens: i + 1,
      })),
    )
    expect(found.score).toMatchObject({ value: 0.4, cases: 100, from_cache: 0 })
    expect(found.cost).toEqual({ value: 50, lower: 40, upper: 60, cases: 100, from_cache: 0 })
    expect([found.latency_p50?.value, found.latency_p95?.value, found.tokens?.value]).toEqual([500, 950, 150])
  })

  it('are null for what was not recorded, and count tokens of one side alone', () => {
    expect(figuresOf([{}, { latency_ms: 0 }])).toEqual({
      score: null,
      cost: null,
      latency_p50: null,
      latency_p95: null,
      tokens: null,
    })
    expect(figuresOf([{ completion_tokens: 7 }]).tokens?.value).toBe(7)
  })

  it('leave out and count what was read from a cache, but not its score', () => {
    const { score, cost, latency_p50 } = figuresOf([
      { score: 1, cost_micro: 0, latency_ms: 1, cached: true },
      { score: 0, cost_micro: 9, latency_ms: 500 },
      { score: 1, cost_micro: 9, latency_ms: 500, status: 'skip' },
    ])
    expect([score?.value, score?.cases]).toEqual([0.5, 2])
    expect(cost).toMatchObject({ value: 9, cases: 1, from_cache: 1 })
    expect(latency_p50).toMatchObject({ value: 500, from_cache: 1 })
    expect(figuresOf([{ latency_ms: 5, cached: true }]).latency_p50).toBeNull()
  })

  it('have wider intervals where trials of a test depend on each other', () => {
    const value = (test: number) => ({ latency_ms: 1000 + test, score: test % 2, test_id: `t${test}` })
    const width = (cases: ReadonlyArray<ReturnType<typeof value>>) => {
      const { latency_p50, score } = figuresOf(cases)
      return [latency_p50, score].map((figure) => (figure?.upper ?? 0) - (figure?.lower ?? 0))
    }
    const [trials = [], alone = []] = [
      width(times(200, (i) => value(i >> 2)) as never),
      width(times(200, (i) => ({ ...value(i >> 2), test_id: `t${i}` })) as never),
    ]
    expect(trials[0]).toBeGreaterThan(alone[0] ?? Infinity)
    expect(trials[1]).toBeGreaterThan(alone[1] ?? Infinity)
  })

  it('change their level by factors, but scores by differences', () => {
    const [latency] = levelChanges('latency_p50', [100, 102, 98, 400, 408, 392])
    expect(latency?.from).toBe(3)
    expect((latency?.after ?? 0) / (latency?.before ?? 1)).toBeCloseTo(4, 9)
    const [score] = levelChanges('score', [0.8, 0.81, 0.79, 0.3, 0.31, 0.29])
    expect(score).toEqual({
      from: 3,
      before: expect.closeTo(0.8, 9) as number,
      after: expect.closeTo(0.3, 9) as number,
    })
    expect(levelChanges('cost', [0, 0, 0, 5, 5.1, 5])).toMatchObject([{ from: 3 }])
    expect(levelChanges('cost', [])).toEqual([])
  })
})
