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
}

/** What fewer and more of a measure are called. */
type Directions = { readonly less: string; readonly more: string }

/** How the head differs from the base, as a ratio with its direction: `0.8 times, faster`. */
const times = (base: number | null, head: number | null, { less, more }: Directions): string | null => {
  if (base === null || head === null || base <= 0) return null
  const ratio = head / base
  if (Math.abs(ratio - 1) < 0.005) return 'the same'
  const text = ratio < 0.095 || ratio >= 9.95 ? ratio.toPrecision(2) : ratio.toFixed(Math.abs(ratio - 1) < 0.05 ? 2 : 1)
  return `${text} times, ${ratio < 1 ? less : more}`
}

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
  { base_median, head_median, base_total, head_total }: ComparisonStatistics['latency_ms'],
  directions: Directions,
  format: (value: number) => string,
  formatTotal = format,
): Measure => ({
  name,
  base: base_median === null ? null : format(base_median),
  head: head_median === null ? null : format(head_median),
  change: times(base_median, head_median, directions),
  note:
    base_total !== null && head_total !== null
      ? `${formatTotal(base_total)} to ${formatTotal(head_total)} in all`
      : IN_NO_PAIR,
})

const cost = (
  name: string,
  { base, head }: { readonly base: number | null; readonly head: number | null },
  names: PairNames,
  notes: string,
): Measure => ({
  name,
  base: base === null ? null : formatCost(base),
  head: head === null ? null : formatCost(head),
  change: times(base, head, { less: 'cheaper', more: 'dearer' }),
  note: notRecorded(base, head, names) ?? (notes === '' ? null : notes),
})

const missing = ({ base, head }: ComparisonStatistics, names: PairNames): string => {
  const side = (name: string, count: number): string[] =>
    count === 0 ? [] : [`${plural(count, 'case')} of ${name} without a cost`]
  return [...side(names.base, base.cost.missing), ...side(names.head, head.cost.missing)].join(', ')
}

const TOKENS = { less: 'fewer', more: 'more' }

/**
 * The measures other than the pass rate. Costs of systems and of grading are never added. What grading a column cost is not
 * known.
 */
export const measuresOf = (statistics: ComparisonStatistics, names: PairNames): Measure[] => {
  const { base, head, latency_ms, input_tokens, output_tokens } = statistics
  const whole = (value: number): string => formatCount(Math.round(value))
  return [
    score(statistics),
    median('Time, median of a case', latency_ms, { less: 'faster', more: 'slower' }, formatDuration),
    median('Output tokens, median', output_tokens, TOKENS, whole, formatTokens),
    median('Input tokens, median', input_tokens, TOKENS, whole, formatTokens),
    cost(
      'Cost of systems',
      { base: base.cost.systems_usd, head: head.cost.systems_usd },
      names,
      missing(statistics, names),
    ),
    ...(base.column || head.column
      ? []
      : [cost('Cost of grading', { base: base.cost.grading_usd, head: head.cost.grading_usd }, names, '')]),
  ]
}
