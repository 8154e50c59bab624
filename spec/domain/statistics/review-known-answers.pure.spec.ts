import { expect, it } from 'vitest'
import { roganGladen } from '../../../bench/soak/statistics/rogan-gladen.ts'
import * as agreement from '../../../domain/statistics/agreement.ts'
import { dependenceOf } from '../../../domain/statistics/dependence.ts'
import { fisherExact } from '../../../domain/statistics/fisher-exact.ts'
import {
  carriedOverRate,
  confusion,
  correctedDifference,
  countLabelled,
  judgeMeasures,
  ownCalibratedRate,
  posteriorOf,
  residualsOf,
  type Labelled,
  type LabelledCase,
} from '../../../domain/statistics/judge.ts'
import { pairedNormal } from '../../../domain/statistics/paired-rates.ts'
import { labelsNeeded } from '../../../domain/statistics/planning.ts'
import { halton } from '../../../domain/statistics/posterior.ts'
import { ppiMean } from '../../../domain/statistics/ppi.ts'
import { betaQuantiles } from '../../../domain/statistics/quantiles.ts'
import { passRate } from '../../../domain/statistics/statistics.ts'
import reference from './review-known-answers.json' with { type: 'json' }

// Known answers for what the service says about judges and people, computed by scipy, statsmodels, scikit-learn, krippendorff and
// irrCAC for this project. The file has the formulas, and the tolerance of each answer.

type Vector = {
  readonly id: number
  readonly fn: string
  readonly tolerance: number
  readonly input: unknown
  readonly output: unknown
}
type Reviewers = {
  readonly reviewers: ReadonlyArray<ReadonlyArray<number | null>>
  readonly weights?: string
  readonly level?: string
}
type Pool = Labelled & { readonly wx: number; readonly wn: number }

/** The labels of each item, from those of each person. */
const itemsOf = ({ reviewers }: Reviewers): number[][] =>
  (reviewers[0] ?? []).map((_, i) => reviewers.flatMap((labels) => labels[i] ?? []))

const weightsOf = ({ weights }: Reviewers, items: readonly number[][]): agreement.Weights<number> => {
  const values = items.flat()
  if (weights === 'linear') return agreement.linear(values)
  if (weights === 'quadratic') return agreement.quadratic(values)
  return weights === 'ordinal' ? agreement.ordinal(values) : agreement.nominal
}

const coefficient =
  (of: typeof agreement.gwet<number>) =>
  (given: Reviewers): unknown => {
    const items = itemsOf(given)
    const found = of(items, weightsOf(given, items))
    return found && { ...found, pa: found.observed, pe: found.expected }
  }

const kappa = (table: ReadonlyArray<readonly number[]>, weights?: string): unknown => {
  const places = table.map((_, i) => i)
  const found = agreement.cohenKappa(
    table,
    weights === 'linear'
      ? agreement.linear(places)
      : weights === 'quadratic'
        ? agreement.quadratic(places)
        : agreement.nominal,
  )
  return found ?? { kappa: null, se: null }
}

const poolOf = ({ wx, wn }: Pool) => ({ passed: wx, total: wn })

const functions: Readonly<Record<string, (input: never) => unknown>> = {
  wilson: ({ x, n }: { x: number; n: number }) => ({ ...passRate(x, n), estimate: passRate(x, n).rate }),
  cohen_kappa: ({ table }: { table: number[][] }) => kappa(table),
  cohen_kappa_weighted: ({ table, weights }: { table: number[][]; weights: string }) => kappa(table, weights),
  fleiss_kappa: ({ counts }: { counts: number[][] }) => ({
    kappa:
      agreement.fleissKappa(counts.map((row) => row.flatMap((n, k) => new Array<number>(n).fill(k))))?.estimate ?? null,
  }),
  krippendorff_alpha: (given: Reviewers) => ({
    alpha: agreement.krippendorffAlphaAt(given.level as agreement.Level, itemsOf(given))?.estimate ?? null,
  }),
  gwet_ac1: coefficient(agreement.gwet),
  gwet_ac2: coefficient(agreement.gwet),
  krippendorff_alpha_se: coefficient(agreement.krippendorffAlpha),
  fleiss_kappa_se: coefficient(agreement.fleissKappa),
  fisher_interval: ({ estimate, se, units }: { estimate: number; se: number; units: number }) =>
    agreement.fisherInterval(estimate, se, units),
  confusion: ({ w, ...labelled }: Labelled & { w: number }) => confusion(labelled, w),
  rogan_gladen: roganGladen,
  calibrated_rate_own: ({ x, n, ...labelled }: Labelled & { x: number; n: number }) => {
    const { x1, m1, x0, m0 } = labelled
    const posterior = posteriorOf(labelled, { passed: x, total: n })
    return { ...ownCalibratedRate(posterior), plug_in: (x / n) * (x1 / m1) + (1 - x / n) * (x0 / m0) }
  },
  calibrated_rate_transported: ({ x, n, ...pool }: Pool & { x: number; n: number }) => {
    const posterior = posteriorOf(pool, poolOf(pool), { passed: x, total: n })
    const { estimate, lower } = judgeMeasures(posterior).youden
    const { human_rate, youden } = confusion(pool, pool.wx / pool.wn)
    const found = carriedOverRate(posterior)
    const numbers = found.reason === null ? found : { ...found, estimate: null, lower: null, upper: null }
    const plug_in = human_rate + (x / n - pool.wx / pool.wn) / youden
    return { ...numbers, youden: estimate, youden_lower: lower, outside: found.clipped, plug_in }
  },
  corrected_difference: ({
    better,
    worse,
    pairs,
    ...pool
  }: Pool & { better: number; worse: number; pairs: number }) => {
    const judge = posteriorOf(pool, poolOf(pool))
    const found = correctedDifference(pairedNormal(worse, better, pairs), judge)
    return {
      ...(found ?? { estimate: null, lower: null, upper: null, reason: 'uninformative_judge' }),
      naive: (better - worse) / pairs,
      youden_lower: judgeMeasures(judge).youden.lower,
    }
  },
  ppi: ({ labels, judged, unlabelled }: { labels: number[]; judged: number[]; unlabelled: number[] }) => {
    const cases = [
      ...labels.map((label, i) => ({ group: i, judged: judged[i] ?? NaN, label })),
      ...unlabelled.map((value, i) => ({ group: -1 - i, judged: value, label: null })),
    ]
    const found = ppiMean([cases])
    return { ...found, lambda_: found?.lambda }
  },
  judge_measures: (pool: Pool) => judgeMeasures(posteriorOf(pool, poolOf(pool))),
  calibrated_rate_clustered: ({ cases: given }: { cases: Array<[number, 0 | 1, 0 | 1 | null]> }) => {
    const cases = given.map(([group, verdict, label]): LabelledCase => ({ group, verdict, label }))
    const run = { passed: cases.filter(({ verdict }) => verdict === 1).length, total: cases.length }
    const labelled = countLabelled(cases)
    const posterior = posteriorOf(labelled, run)
    const dependence = dependenceOf(residualsOf(cases, posterior.point, { run: run.total, pool: null, ...labelled }))
    return {
      ...labelled,
      x: run.passed,
      n: run.total,
      groups: dependence?.groups,
      ...ownCalibratedRate(posterior, dependence),
    }
  },
  labels_needed: ({ w, n, half_width, ...labels }: Labelled & { w: number; n: number; half_width: number }) => {
    const found = labelsNeeded(labels, { n, w }, half_width)
    return { ...found, share_pass: found.share_passed }
  },
  drift_p: ({ table: [one, other] }: { table: [[number, number], [number, number]] }) => ({
    p: fisherExact(one, other),
  }),
  halton: ({ points }: { points: number[] }) =>
    Object.fromEntries([2, 3, 5, 7].map((base) => [base, points.map((point) => halton(point, base))])),
  beta_quantile: ({ p, a, b }: { p: number; a: number; b: number }) => ({
    x: betaQuantiles(a, b, Float64Array.of(p))[0],
  }),
}

/** Each number of the known answer is the one found, within the tolerance; everything else is equal. */
const expectKnown = (found: unknown, known: unknown, tolerance: number, path: string): void => {
  if (typeof known === 'number') {
    expect(typeof found, path).toBe('number')
    expect(Math.abs((found as number) - known), `${path}: ${String(found)} for ${known}`).toBeLessThanOrEqual(tolerance)
  } else if (typeof known === 'object' && known !== null)
    for (const [name, value] of Object.entries(known))
      expectKnown((found as Record<string, unknown>)[name], value, tolerance, `${path}.${name}`)
  else expect(found, path).toBe(known)
}

it('are 106', () => expect(reference.vectors.map(({ id }) => id)).toEqual(Array.from({ length: 106 }, (_, i) => i + 1)))

it.each(reference.vectors as readonly Vector[])('$fn, answer $id', ({ fn, input, output, tolerance }) => {
  // The answers have 12 decimals at most, so a tolerance of 0 is for what is not a number.
  expectKnown(functions[fn]?.(input as never), output, tolerance, fn)
})
