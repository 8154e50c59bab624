import { designEffect, type Dependence, type Gradient, type Part, type Residuals } from './dependence.ts'
import { estimateOf, normalDraws, rateDraws, widened, type Estimate, type Scale } from './posterior.ts'

// How good a judge is, and what its pass rates are worth, by labels of people. A judge passes or fails a case; so do people.

/** Labelled cases: people pass `x1` of the `m1` that the judge passed, and `x0` of the `m0` that it failed. */
export type Labelled = { readonly x1: number; readonly m1: number; readonly x0: number; readonly m0: number }

/** Cases that a judge judged, and how many it passed. */
export type Judged = { readonly passed: number; readonly total: number }

/** A point of the parts: pass shares of the run and of the pool, and how often people pass what the judge passed and failed. */
type Point = Readonly<Record<Part, number>>

const humanRate = ({ pool, passed, failed }: Point): number => pool * passed + (1 - pool) * failed
const chanceCorrected = (agreement: number, chance: number): number => (agreement - chance) / (1 - chance)
const agreement = ({ pool, passed, failed }: Point): number => pool * passed + (1 - pool) * (1 - failed)
const youden = (at: Point): number => {
  const rate = humanRate(at)
  return (at.pool * (1 - at.pool) * (at.passed - at.failed)) / (rate * (1 - rate))
}

/** The measures of a judge, as functions of the parts. `rate` is the pass rate by people. */
const MEASURES = {
  human_rate: { scale: 'share', of: humanRate },
  sensitivity: { scale: 'share', of: (at) => (at.pool * at.passed) / humanRate(at) },
  specificity: { scale: 'share', of: (at) => ((1 - at.pool) * (1 - at.failed)) / (1 - humanRate(at)) },
  youden: { scale: 'coefficient', of: youden },
  agreement: { scale: 'share', of: agreement },
  kappa: {
    scale: 'coefficient',
    of: (at) => {
      const rate = humanRate(at)
      return chanceCorrected(agreement(at), at.pool * rate + (1 - at.pool) * (1 - rate))
    },
  },
  ac1: {
    scale: 'coefficient',
    of: (at) => {
      const mean = (at.pool + humanRate(at)) / 2
      return chanceCorrected(agreement(at), 2 * mean * (1 - mean))
    },
  },
} as const satisfies Record<string, { readonly scale: Scale; readonly of: (at: Point) => number }>

export type JudgeMeasures = Readonly<Record<keyof typeof MEASURES, Estimate>>

const ownRate = ({ run, passed, failed }: Point): number => run * passed + (1 - run) * failed
const carriedRate = (at: Point): number => humanRate(at) + (at.run - at.pool) / youden(at)

/**
 * A judge as the raw counts have it: how often people agree with its passes (`ppv`) and its fails (`npv`), and its
 * sensitivity, specificity and Youden's J for its pass share `w` of all cases. Values without a case are NaN.
 */
export const confusion = (
  { x1, m1, x0, m0 }: Labelled,
  w: number,
): Readonly<Record<'ppv' | 'npv' | 'human_rate' | 'sensitivity' | 'specificity' | 'youden', number>> => {
  const at = { run: w, pool: w, passed: x1 / m1, failed: x0 / m0 }
  const { human_rate, sensitivity, specificity } = MEASURES
  return {
    ppv: at.passed,
    npv: 1 - at.failed,
    human_rate: human_rate.of(at),
    sensitivity: sensitivity.of(at),
    specificity: specificity.of(at),
    youden: youden(at),
  }
}

/** Draws of the parts, each made when it is read, and the point where an estimate's gradient is taken. */
export type Posterior = { readonly draws: Readonly<Record<Part, Float64Array>>; readonly point: Point }

/** Makes draws of rates, as `rateDraws` does. They are costly. */
export type Draw = typeof rateDraws

/** Draws of rates, each made once. */
export const rememberedDraws = (): Draw => {
  const known = new Map<string, Float64Array>()
  return (source, count, of) => {
    const key = `${source}/${count}/${of}`
    const draws = known.get(key) ?? rateDraws(source, count, of)
    known.set(key, draws)
    return draws
  }
}

/** What is believed about a judge: its pass share of `run` and of the `pool` that the labels are from, and the rates behind the labels. */
export const posteriorOf = (
  { x1, m1, x0, m0 }: Labelled,
  pool: Judged,
  run: Judged = pool,
  draw: Draw = rememberedDraws(),
): Posterior => ({
  draws: {
    get run() {
      return draw('run', run.passed, run.total)
    },
    get pool() {
      return draw('pool', pool.passed, pool.total)
    },
    get passed() {
      return draw('passed', x1, m1)
    },
    get failed() {
      return draw('failed', x0, m0)
    },
  },
  point: {
    run: run.passed / run.total,
    pool: pool.passed / pool.total,
    passed: (x1 + 0.5) / (m1 + 1),
    failed: (x0 + 0.5) / (m0 + 1),
  },
})

/** Draws of what depends on the run. */
const drawsOfRun = ({ draws: { run, pool, passed, failed } }: Posterior, of: (at: Point) => number): Float64Array =>
  run.map((share, i) => of({ run: share, pool: pool[i] ?? 0, passed: passed[i] ?? 0, failed: failed[i] ?? 0 }))

/** Draws of what depends on the pool alone. */
const drawsOfPool = ({ draws: { pool, passed, failed } }: Posterior, of: (at: Point) => number): Float64Array =>
  pool.map((share, i) => of({ run: 0, pool: share, passed: passed[i] ?? 0, failed: failed[i] ?? 0 }))

const STEP = 1e-6
/** The gradient of a smooth function of the parts, by central differences: to about 9 digits. */
const gradientOf = (of: (at: Point) => number, at: Point): Gradient => {
  const slope = (part: Part): number =>
    (of({ ...at, [part]: at[part] + STEP }) - of({ ...at, [part]: at[part] - STEP })) / (2 * STEP)
  return { run: slope('run'), pool: slope('pool'), passed: slope('passed'), failed: slope('failed') }
}

/** An estimate whose limits allow for cases that depend on each other. `design_effect`: null where none do. */
export type Grouped = Estimate & { readonly design_effect: number | null }

const grouped = (
  estimate: Estimate,
  scale: Scale,
  dependence: Dependence | null,
  gradient: () => Gradient,
): Grouped => {
  if (dependence === null) return { ...estimate, design_effect: null }
  const { design_effect, factor } = designEffect(dependence, gradient())
  return { ...widened(estimate, factor, scale), design_effect }
}

/** The measures of a judge over its pool. `dependence`: of the pool's cases; null if each is independent. */
export const judgeMeasures = (posterior: Posterior, dependence: Dependence | null = null): JudgeMeasures => {
  const measure = ({ scale, of }: (typeof MEASURES)[keyof typeof MEASURES]): Estimate => {
    const { estimate, lower, upper } = grouped(estimateOf(drawsOfPool(posterior, of)), scale, dependence, () =>
      gradientOf(of, posterior.point),
    )
    return { estimate, lower, upper }
  }
  const { human_rate, sensitivity, specificity, youden: j, agreement: same, kappa, ac1 } = MEASURES
  return {
    human_rate: measure(human_rate),
    sensitivity: measure(sensitivity),
    specificity: measure(specificity),
    youden: measure(j),
    agreement: measure(same),
    kappa: measure(kappa),
    ac1: measure(ac1),
  }
}

/** The pass rate that people would give a run, by labels in the run itself: theta = p a1 + (1 - p) a0. Assumes nothing about the judge. */
export const ownCalibratedRate = (posterior: Posterior, dependence: Dependence | null = null): Grouped =>
  grouped(estimateOf(drawsOfRun(posterior, ownRate)), 'share', dependence, () => gradientOf(ownRate, posterior.point))

/** Below it the judge says too little about what people say. */
const LEAST_YOUDEN = 0.1

export type Unusable = 'uninformative_judge' | 'outside_calibration'
export type CarriedOver =
  | (Grouped & { readonly reason: null; readonly clipped: number })
  | { readonly reason: Unusable; readonly clipped: number }

/**
 * The same by labels in other runs of a judge that errs as it did there: theta = pi + (p - w) / J, each draw cut to [0, 1]
 * (W. J. Rogan, B. Gladen, Am. J. Epidemiol. 107, 1978, 71-76; J. Lee et al., arXiv 2511.21140). Unusable if the lower limit of J
 * is 0.1 or less, and if more than half of the draws had to be cut: then no error rates explain the run. `clipped`: their share.
 */
export const carriedOverRate = (posterior: Posterior, dependence: Dependence | null = null): CarriedOver => {
  const free = drawsOfRun(posterior, carriedRate)
  let outside = 0
  const cut = free.map((rate) => {
    if (rate < 0 || rate > 1) outside++
    return Math.min(1, Math.max(0, rate))
  })
  const clipped = outside / free.length
  if (!isInformative(posterior, dependence)) return { reason: 'uninformative_judge', clipped }
  if (clipped > 0.5) return { reason: 'outside_calibration', clipped }
  const rate = grouped(estimateOf(cut), 'share', dependence, () => gradientOf(carriedRate, posterior.point))
  return { ...rate, reason: null, clipped }
}

const isInformative = (posterior: Posterior, dependence: Dependence | null): boolean =>
  judgeYouden(posterior, dependence).lower > LEAST_YOUDEN

const judgeYouden = (posterior: Posterior, dependence: Dependence | null): Grouped =>
  grouped(estimateOf(drawsOfPool(posterior, youden)), 'coefficient', dependence, () =>
    gradientOf(youden, posterior.point),
  )

/** A difference of two pass rates by the judge: its mean and standard error. */
export type JudgedDifference = { readonly mean: number; readonly se: number }

const differenceOf = ({ run: difference, pool, passed, failed }: Point): number =>
  difference / youden({ run: 0, pool, passed, failed })

/**
 * The difference of two runs that people would find, if the judge errs alike in both: delta = D / J, cut to [-1, 1]. D is
 * normal; `dependence` has its residuals as those of the run. Its sign is that of D. Null for a judge that says too little.
 */
export const correctedDifference = (
  { mean, se }: JudgedDifference,
  judge: Posterior,
  dependence: Dependence | null = null,
): Grouped | null => {
  if (!isInformative(judge, dependence)) return null
  const { pool, passed, failed } = judge.draws
  const posterior = {
    draws: { run: normalDraws(mean, se), pool, passed, failed },
    point: { ...judge.point, run: mean },
  }
  const draws = drawsOfRun(posterior, differenceOf).map((difference) => Math.max(-1, Math.min(1, difference)))
  return grouped(estimateOf(draws), 'difference', dependence, () => gradientOf(differenceOf, posterior.point))
}

/** A judged case, with the label of people if there is one. Cases of a group depend on each other. */
export type LabelledCase = { readonly group: unknown; readonly verdict: 0 | 1; readonly label: 0 | 1 | null }

/** Counts labelled cases by the judge's verdict. */
export const countLabelled = (cases: Iterable<LabelledCase>): Labelled => {
  let [x1, m1, x0, m0] = [0, 0, 0, 0]
  for (const { verdict, label } of cases) {
    if (label === null) continue
    if (verdict === 1) {
      m1++
      x1 += label
    } else {
      m0++
      x0 += label
    }
  }
  return { x1, m1, x0, m0 }
}

/** The residuals of cases in the parts that they count in. The point and the numbers of cases are those of the whole. */
export function* residualsOf(
  cases: Iterable<LabelledCase>,
  point: Point,
  {
    run,
    pool,
    m1,
    m0,
  }: { readonly run: number | null; readonly pool: number | null; readonly m1: number; readonly m0: number },
): Generator<Residuals> {
  for (const { group, verdict, label } of cases)
    yield {
      group,
      run: run === null ? 0 : (verdict - point.run) / run,
      pool: pool === null ? 0 : (verdict - point.pool) / pool,
      passed: label === null || verdict === 0 ? 0 : (label - point.passed) / m1,
      failed: label === null || verdict === 1 ? 0 : (label - point.failed) / m0,
    }
}
