import type { GridMeasure } from '../../queries/cases/grid.ts'
import type { Trend } from '../../queries/statistics/trend.ts'
import { roundAxis, SHARE_AXIS, type Axis } from '../components/charts/trend.ts'
import { formatCost, formatCount, formatDuration, formatRate, formatTokens, plural } from '../text/format.ts'

// The measures of runs that one switch chooses from, in the order in which they are shown. The first is the default.

type Run = Pick<Trend['runs'][number], 'passed' | 'total' | 'rate' | 'lower' | 'upper' | 'measures'>
type Recorded = keyof Run['measures']
export const MEASURE_KEYS = ['rate', 'score', 'cost', 'latency', 'p95', 'tokens'] as const
export type MeasureKey = (typeof MEASURE_KEYS)[number]

type Value = { readonly value: number; readonly lower: number | null; readonly upper: number | null }

export type Measure = {
  readonly key: MeasureKey
  readonly name: string
  /** What is measured, for people who hover over the name. */
  readonly about: string
  /** Its name in the answer of a trend; null for the pass rate. */
  readonly field: Recorded | null
  /** What the cells of a grid show of it; null for the pass rate, of which they show the status. */
  readonly cell: GridMeasure | null
  readonly format: (value: number) => string
  /** From an earlier value to a later one: `−10.0 points`, `+20%`. */
  readonly change: (from: number, to: number) => string
}

const MINUTE_MS = 60_000

/** `$0.000059`: below a tenth of a cent two digits count. */
export const formatCaseCost = (usd: number): string =>
  usd > 0 && usd < 0.001 ? `$${usd.toFixed(1 - Math.floor(Math.log10(usd)))}` : formatCost(usd)

const signed = (value: number, text: string): string =>
  Number.parseFloat(text) === 0 ? text : `${value < 0 ? '−' : '+'}${text}`
const byPoints = (from: number, to: number): string =>
  `${signed(to - from, (Math.abs(to - from) * 100).toFixed(1))} points`
const byScore = (from: number, to: number): string => signed(to - from, Math.abs(to - from).toFixed(2))
/** In percent, or as a multiple from double on. */
const byFactor = (from: number, to: number): string => {
  if (from === 0) return to === 0 ? '0%' : 'from 0'
  if (to / from >= 2) return `${(to / from).toFixed(1)} times`
  return `${signed(to - from, Math.abs((to / from - 1) * 100).toFixed(0))}%`
}

export const MEASURES: readonly Measure[] = [
  {
    key: 'rate',
    name: 'Pass rate',
    about: 'Passed cases of all cases',
    field: null,
    cell: null,
    format: formatRate,
    change: byPoints,
  },
  {
    key: 'score',
    name: 'Score',
    about: 'Mean of the cases that passed or failed',
    field: 'score',
    cell: 'score',
    format: (value) => value.toFixed(2),
    change: byScore,
  },
  {
    key: 'cost',
    name: 'Cost a case',
    about: 'Median over cases, of systems only',
    field: 'cost_usd',
    cell: 'cost_usd',
    format: formatCaseCost,
    change: byFactor,
  },
  {
    key: 'latency',
    name: 'Latency, median',
    about: 'Half of the cases took less time',
    field: 'latency_p50_ms',
    cell: 'latency_ms',
    format: formatDuration,
    change: byFactor,
  },
  {
    key: 'p95',
    name: 'Latency, p95',
    about: '19 of 20 cases took less time',
    field: 'latency_p95_ms',
    cell: 'latency_ms',
    format: formatDuration,
    change: byFactor,
  },
  {
    key: 'tokens',
    name: 'Tokens a case',
    about: 'Median over cases, input and output together',
    field: 'tokens',
    cell: 'tokens',
    format: (value) => formatTokens(Math.round(value)),
    change: byFactor,
  },
]

export const measureOf = (key: MeasureKey): Measure => MEASURES.find((each) => each.key === key) as Measure

/** The value of a run; null if the run did not record it. */
export const valueOf = ({ field }: Measure, run: Run): Value | null => {
  if (field === null) return { value: run.rate, lower: run.lower, upper: run.upper }
  return run.measures[field]
}

/** `$0.01 to $0.02`, or nothing. */
export const intervalWords = ({ lower, upper }: Value, format: Measure['format']): string =>
  lower === null || upper === null ? '' : `${format(lower)} to ${format(upper)}`

/** `11 of 40 passed`, `180 cases, 20 more read from a cache`, or `not recorded`. */
export const casesWords = ({ field }: Measure, run: Run): string => {
  if (field === null)
    return run.total === 0 ? 'no cases' : `${formatCount(run.passed)} of ${formatCount(run.total)} passed`
  const found = run.measures[field]
  if (!found) return 'not recorded'
  const cached = found.from_cache === 0 ? '' : `, ${formatCount(found.from_cache)} more read from a cache`
  return `${plural(found.cases, 'case')}${cached}`
}

/** The axis for values: from 0 to 1 for shares, else as far as the values go; an interval may end outside. */
export const axisFor = ({ key }: Measure, values: readonly number[]): Axis => {
  if (key === 'rate' || (key === 'score' && values.every((value) => value >= 0 && value <= 1))) return SHARE_AXIS
  const isMinutes = (key === 'latency' || key === 'p95') && values.some((value) => value >= 2 * MINUTE_MS)
  return roundAxis(values, isMinutes ? MINUTE_MS : 1)
}
