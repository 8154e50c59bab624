import { columnText, type Column } from '../../../../domain/lists/column.ts'
import type { Leaderboard } from '../../../../queries/statistics/leaderboard.ts'
import type { Direction, ListOrder } from '../../../composables/use-list-order.ts'
import { columnName } from '../../../runs/column.ts'
import { formatCost, formatDuration, formatScore, formatRate, formatTokens, plural } from '../../../text/format.ts'
import { formatP } from '../../../text/signed.ts'
import { visibleLine } from '../../../text/visible-text.ts'

export type Line = Leaderboard['columns'][number]

type Measure = {
  readonly head: string
  /** What the number is, for the tooltip of the head. */
  readonly what: string
  /** The direction in which it is sorted first: the better end on top. */
  readonly first: Direction
  readonly value: (line: Line) => number | null
  readonly text: (value: number) => string
}

/** The k of pass^k: the number of trials that most tests have at most. */
const most = ({ pass_k }: Line): number => pass_k.at(-1)?.k ?? 1

/** The measures that a leaderboard can show after the pass rate. */
const MEASURES: Readonly<Record<string, Measure>> = {
  score: {
    head: 'Score',
    what: 'mean over tests',
    first: 'desc',
    value: ({ scores }) => scores?.mean ?? null,
    text: formatScore,
  },
  all: {
    head: 'pass^k',
    what: 'all of k trials pass, for the most trials that a test has',
    first: 'desc',
    value: ({ pass_k }) => pass_k.at(-1)?.pass_hat_k ?? null,
    text: formatRate,
  },
  any: {
    head: 'pass@k',
    what: 'at least one of k trials passes, for the most trials that a test has',
    first: 'desc',
    value: ({ pass_k }) => pass_k.at(-1)?.pass_at_k ?? null,
    text: formatRate,
  },
  latency: {
    head: 'Latency',
    what: 'median',
    first: 'asc',
    value: ({ latency_ms }) => latency_ms.median,
    text: formatDuration,
  },
  tokens: {
    head: 'Tokens out',
    what: 'median',
    first: 'asc',
    value: ({ output_tokens_median }) => output_tokens_median,
    text: formatTokens,
  },
  cost: { head: 'Cost', what: 'all cases', first: 'asc', value: ({ cost_usd }) => cost_usd, text: formatCost },
}

/** The measures that at least one line has. With trials, pass^k and pass@k take the place of the score. */
export const recordedMeasures = (lines: readonly Line[]): Array<Measure & { readonly name: string }> =>
  Object.entries(MEASURES)
    .map(([name, measure]) => ({ name, ...measure }))
    .filter(
      ({ name, value }) => lines.some((line) => value(line) !== null) && !(name === 'score' && lines.some(hasTrials)),
    )
    .map((measure) => {
      const k = Math.max(...lines.map(most))
      return { ...measure, head: measure.head.replace(/k$/, String(k)) }
    })

const hasTrials = ({ most_trials }: Line): boolean => most_trials > 1

/** The order of a leaderboard until the user sorts it: as the server lists it. */
export const BEST_FIRST: ListOrder = { sort: 'passes', order: 'desc' }

/** Lines in another order; lines without the measure are last. */
export const sortLines = (lines: readonly Line[], { sort, order }: ListOrder): readonly Line[] => {
  if (sort === BEST_FIRST.sort) return order === 'desc' ? lines : lines.toReversed()
  const sign = order === 'asc' ? 1 : -1
  if (sort === 'name') return lines.toSorted((a, b) => sign * columnName(a).localeCompare(columnName(b), 'en'))
  const value = MEASURES[sort]?.value ?? (() => null)
  return lines.toSorted((a, b) => {
    const [one, other] = [value(a), value(b)]
    if (one === null || other === null) return Number(one === null) - Number(other === null)
    return sign * (one - other)
  })
}

/** The direction in which a column is sorted first. */
export const firstDirection = (sort: string): Direction => MEASURES[sort]?.first ?? (sort === 'name' ? 'asc' : 'desc')

/** The names of lines: without the prompt if all have the same, and without the provider likewise. */
export const lineNames = (lines: readonly Line[]): ((line: Column) => string) => {
  const hasOne = (of: (line: Line) => unknown) => new Set(lines.map(of)).size === 1
  if (hasOne(({ prompt_id }) => prompt_id)) return ({ provider_id }) => columnName({ provider_id })
  if (hasOne(({ provider_id }) => provider_id))
    return ({ prompt_id }) => (prompt_id ? visibleLine(prompt_id) : 'no prompt')
  return columnName
}

/**
 * How a line compares with the base: `base`, `a tie`, `better, p = 0.012`. Its p is adjusted for the number of lines. `not
 * clear`: it would be alone.
 */
export const againstWords = ({ against_base: against }: Line): string => {
  if (against === null) return 'base'
  if (against.pairs === 0) return 'no shared tests'
  if (against.verdict === 'better' || against.verdict === 'worse')
    return `${against.verdict}, ${formatP(against.adjusted_p ?? 1)}`
  if (against.removed_by_adjustment) return 'not clear'
  return against.verdict === 'too_few' && against.worse + against.better > 0 ? 'too few changes' : 'a tie'
}

/** The same in full, for a tooltip. */
export const againstTitle = ({ against_base: against }: Line, base: string): string =>
  against === null
    ? 'The others are compared with it'
    : `Against ${base}: ${against.better} better, ${against.worse} worse of ${plural(against.pairs, 'shared test')}` +
      (against.adjusted_p === null ? '' : `; ${formatP(against.adjusted_p)}, adjusted for the number of columns`) +
      (against.removed_by_adjustment ? '; alone it would be clear' : '')

/** The column that a line is about. */
export const columnOf = ({ provider_id, prompt_id }: Column): Column =>
  prompt_id === undefined ? { provider_id } : { provider_id, prompt_id }

/** A line as an address names it. */
export const lineText = (line: Column): string => columnText(columnOf(line))
