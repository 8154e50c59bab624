import type { ComparisonStatistics } from '../../../../queries/statistics/comparison-statistics.ts'
import { formatCost, formatCount, formatDuration, formatTokens, plural } from '../../../text/format.ts'
import { formatSigned } from '../../../text/signed.ts'

/** A measure of both runs. Null is not recorded. `note` is a second line. */
export type Measure = {
  readonly name: string
  readonly base: string | null
  readonly head: string | null
  readonly change: string | null
  readonly note: string | null
}

const times = (base: number | null, head: number | null): string | null => {
  if (base === null || head === null || base <= 0) return null
  const ratio = head / base
  if (Math.abs(ratio - 1) < 0.005) return 'the same'
  return `${ratio < 0.095 || ratio >= 9.95 ? ratio.toPrecision(2) : ratio.toFixed(1)} times`
}

const notRecorded = (base: unknown, head: unknown): string | null => {
  if (base === null && head === null) return 'not recorded in either run'
  if (base === null) return 'not recorded in the base'
  return head === null ? 'not recorded in the head' : null
}

/** The note of a measure that is compared case by case. */
const IN_NO_PAIR = 'no case has it in both runs'

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
  format: (value: number) => string,
  formatTotal = format,
): Measure => ({
  name,
  base: base_median === null ? null : format(base_median),
  head: head_median === null ? null : format(head_median),
  change: times(base_median, head_median),
  note:
    base_total !== null && head_total !== null
      ? `${formatTotal(base_total)} to ${formatTotal(head_total)} in all`
      : IN_NO_PAIR,
})

const cost = (name: string, base: number | null, head: number | null, notes: string): Measure => ({
  name,
  base: base === null ? null : formatCost(base),
  head: head === null ? null : formatCost(head),
  change: times(base, head),
  note: notRecorded(base, head) ?? (notes === '' ? null : notes),
})

const missing = ({ base, head }: ComparisonStatistics): string => {
  const side = (name: string, count: number): string[] =>
    count === 0 ? [] : [`${plural(count, 'case')} of the ${name} without a cost`]
  return [...side('base', base.cost.missing), ...side('head', head.cost.missing)].join(', ')
}

/** The measures other than the pass rate. Costs of systems and of grading are never added. */
export const measuresOf = (statistics: ComparisonStatistics): Measure[] => {
  const { base, head, latency_ms, input_tokens, output_tokens } = statistics
  const whole = (value: number): string => formatCount(Math.round(value))
  return [
    score(statistics),
    median('Time, median of a case', latency_ms, formatDuration),
    median('Output tokens, median', output_tokens, whole, formatTokens),
    median('Input tokens, median', input_tokens, whole, formatTokens),
    cost('Cost of systems', base.cost.systems_usd, head.cost.systems_usd, missing(statistics)),
    cost('Cost of grading', base.cost.grading_usd, head.cost.grading_usd, ''),
  ]
}
