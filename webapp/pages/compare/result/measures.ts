import type { ComparisonStatistics } from '../../../../queries/statistics/comparison-statistics.ts'
import { formatCost, formatCount, formatDuration, formatTokens, plural } from '../../../text/format.ts'
import { formatSigned } from '../../../text/signed.ts'
import type { PairNames } from './verdict.ts'

/** A measure of both runs. Null is not recorded. `note` is a second line. */
export type Measure = {
  readonly name: string
  readonly base: string | null
  readonly head: string | null
  readonly change: string | null
  readonly note: string | null
  /** Whether the change is clear, and good or bad. */
  readonly tone?: 'pass' | 'fail'
}

/** What less and more of a measure are called. Less time and cost are good; fewer tokens are neither good nor bad. */
type Directions = { readonly less: string; readonly more: string; readonly isLessGood: boolean }

/** How the head differs from the base, as a ratio with its direction: `0.8 times, faster`. */
const times = (base: number | null, head: number | null, { less, more }: Directions): string | null => {
  if (base === null || head === null || base <= 0) return null
  const ratio = head / base
  return isSame(ratio) ? 'the same' : `${ratioText(ratio)} times, ${ratio < 1 ? less : more}`
}
const isSame = (ratio: number): boolean => Math.abs(ratio - 1) < 0.005
const ratioText = (ratio: number): string =>
  ratio < 0.095 || ratio >= 9.95 ? ratio.toPrecision(2) : ratio.toFixed(Math.abs(ratio - 1) < 0.05 ? 2 : 1)
/** The ends of an interval, which may be near each other: `1.18 to 1.23`. */
const endText = (ratio: number): string => (ratio < 0.095 || ratio >= 9.95 ? ratio.toPrecision(2) : ratio.toFixed(2))

/** The ratio of pairs need not be that of the medians or sums that are shown with it. */
const TYPICAL = 'a typical case: '

type Paired = ComparisonStatistics['latency_ms']

/**
 * The change of a measure of paired cases: their ratio with its interval, and its direction if the interval does not
 * contain 1. Without an interval, the ratio of two numbers of the runs.
 */
const change = (
  { ratio }: Paired,
  [base, head]: readonly [number | null, number | null],
  directions: Directions,
): Pick<Measure, 'change' | 'tone'> & { readonly interval: string[] } => {
  if (!ratio) return { change: times(base, head, directions), interval: [] }
  const { estimate, lower, upper } = ratio
  const interval = [`${endText(lower)} to ${endText(upper)}`]
  const isClear = lower > 1 || upper < 1
  const isLess = estimate < 1
  const direction = isLess ? directions.less : directions.more
  // Also where the interval is clear of 1 by less than what is shown.
  if (isSame(estimate)) return { change: `${TYPICAL}the same`, interval }
  if (!isClear) return { change: `${TYPICAL}${ratioText(estimate)} times, ${direction}, not clearly`, interval }
  return {
    change: `${TYPICAL}${ratioText(estimate)} times, ${direction}`,
    interval,
    ...(directions.isLessGood ? { tone: isLess ? 'pass' : 'fail' } : {}),
  }
}
const cacheNote = ({ from_cache }: Paired): string[] =>
  from_cache === 0 ? [] : [`${plural(from_cache, 'case')} from a cache left out`]

const notRecorded = (base: unknown, head: unknown, names: PairNames): string | null => {
  if (base === null && head === null) return 'not recorded'
  if (base === null) return `not recorded in ${names.base}`
  return head === null ? `not recorded in ${names.head}` : null
}

/** The note of a measure that is compared case by case. */
const IN_NO_PAIR = 'no case has it in both'

const score = ({ scores }: ComparisonStatistics): Measure => ({
  name: 'Mean score',
  base: scores?.base_mean.toFixed(3) ?? null,
  head: scores?.head_mean.toFixed(3) ?? null,
  change: scores ? formatSigned(scores.head_mean - scores.base_mean, 3) : null,
  note: scores?.difference
    ? `${formatSigned(scores.difference.lower, 3)} to ${formatSigned(scores.difference.upper, 3)}`
    : scores
      ? null
      : IN_NO_PAIR,
})

const median = (
  name: string,
  paired: Paired,
  directions: Directions,
  format: (value: number) => string,
  formatTotal = format,
): Measure => {
  const { base_median, head_median, base_total, head_total } = paired
  const { interval, ...shown } = change(paired, [base_median, head_median], directions)
  return {
    name,
    base: base_median === null ? null : format(base_median),
    head: head_median === null ? null : format(head_median),
    ...shown,
    note:
      base_total !== null && head_total !== null
        ? [...interval, `${formatTotal(base_total)} to ${formatTotal(head_total)} in all`, ...cacheNote(paired)].join(
            ' · ',
          )
        : IN_NO_PAIR,
  }
}

/** The costs of all cases; their change is that of the cases that both sides have. */
const systemsCost = (statistics: ComparisonStatistics, names: PairNames): Measure => {
  const [base, head] = [statistics.base.cost.systems_usd, statistics.head.cost.systems_usd]
  const { interval, ...shown } = change(statistics.cost_usd, [base, head], COST)
  const notes = [...interval, ...missing(statistics, names), ...cacheNote(statistics.cost_usd)]
  return {
    name: 'Cost of systems',
    ...costTexts(base, head),
    ...shown,
    note: notRecorded(base, head, names) ?? (notes.join(' · ') || null),
  }
}

/** Nothing where neither run recorded it. */
const gradingCost = (statistics: ComparisonStatistics, names: PairNames): Measure[] => {
  const [base, head] = [statistics.base.cost.grading_usd, statistics.head.cost.grading_usd]
  if (base === null && head === null) return []
  return [
    {
      name: 'Cost of grading',
      ...costTexts(base, head),
      change: times(base, head, COST),
      note: notRecorded(base, head, names),
    },
  ]
}

const costTexts = (base: number | null, head: number | null): Pick<Measure, 'base' | 'head'> => ({
  base: base === null ? null : formatCost(base),
  head: head === null ? null : formatCost(head),
})

const missing = ({ base, head }: ComparisonStatistics, names: PairNames): string[] => {
  const side = (name: string, count: number): string[] =>
    count === 0 ? [] : [`${plural(count, 'case')} of ${name} without a cost`]
  return [...side(names.base, base.cost.missing), ...side(names.head, head.cost.missing)]
}

const TOKENS = { less: 'fewer', more: 'more', isLessGood: false }
const TIME = { less: 'faster', more: 'slower', isLessGood: true }
const COST = { less: 'cheaper', more: 'dearer', isLessGood: true }

/** `costs 1.6 times as much`; null if the change is not clear, or too small to show. */
const clearly = ({ ratio }: Paired, verb: string, as: string): string | null =>
  !ratio || isSame(ratio.estimate) || (ratio.lower <= 1 && ratio.upper >= 1)
    ? null
    : `${verb} ${ratioText(ratio.estimate)} times as ${as}`

/** What became dearer or cheaper, slower or faster, in a sentence; null if nothing clearly did. */
export const spendSentence = ({
  cost_usd,
  latency_ms,
}: Pick<ComparisonStatistics, 'cost_usd' | 'latency_ms'>): string | null => {
  const said = [clearly(cost_usd, 'costs', 'much'), clearly(latency_ms, 'takes', 'long')].filter(
    (words) => words !== null,
  )
  return said.length === 0 ? null : `A typical case ${said.join(' and ')}.`
}

/**
 * The measures other than the pass rate. Costs of systems and of grading are never added. What grading a column cost is not
 * known.
 */
export const measuresOf = (statistics: ComparisonStatistics, names: PairNames): Measure[] => {
  const { base, head, latency_ms, input_tokens, output_tokens } = statistics
  const whole = (value: number): string => formatCount(Math.round(value))
  return [
    score(statistics),
    median('Time, median of a case', latency_ms, TIME, formatDuration),
    median('Output tokens, median', output_tokens, TOKENS, whole, formatTokens),
    median('Input tokens, median', input_tokens, TOKENS, whole, formatTokens),
    systemsCost(statistics, names),
    ...(base.column || head.column ? [] : gradingCost(statistics, names)),
  ]
}
