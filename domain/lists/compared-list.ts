import { likeSubstring } from '../search/like.ts'
import type { ComparedSort } from './compared-sorts.ts'

/**
 * Which pairs are listed: those that have all of these. `q` is a part of a name, a test, a tag, a provider or a prompt.
 * `field` is a variable of the base's case with its value: `var.city=Lima`.
 */
export type ComparedFilters = {
  readonly q?: string | undefined
  readonly tag?: string | undefined
  readonly field?: string | undefined
  readonly provider?: string | undefined
}

type Cell = { readonly score: number | null; readonly latency_ms: number | null; readonly output_tokens: number | null }

/** What filters and orders need of a pair of cases. */
export type ComparedValues = {
  readonly name: string | null
  readonly test_id: string | null
  readonly tags: readonly string[]
  /** Known if a filter asks for one. */
  readonly fields?: Readonly<Record<string, string>>
  readonly providers: readonly string[]
  readonly prompts: readonly string[]
  readonly base: Cell | null
  readonly head: Cell | null
  /** Assertions with another verdict. */
  readonly flips: number
}

/** Returns whether a pair has what the filters ask for. */
export const comparedMatcher = ({ q, tag, field, provider }: ComparedFilters): ((pair: ComparedValues) => boolean) => {
  const matches = q === undefined || q === '' ? null : likeSubstring(q)
  const hasField = field === undefined ? null : fieldMatcher(field)
  return ({ name, test_id, tags, fields = {}, providers, prompts }) =>
    (tag === undefined || tags.includes(tag)) &&
    hasField?.(fields) !== false &&
    (provider === undefined || providers.includes(provider)) &&
    (matches === null || [name ?? '', test_id ?? '', ...tags, ...providers, ...prompts].some((text) => matches(text)))
}

const fieldMatcher = (field: string): ((fields: Readonly<Record<string, string>>) => boolean) => {
  const end = field.indexOf('=')
  const [name, value] = [field.slice(0, end), field.slice(end + 1)]
  return (fields) => end > 0 && Object.hasOwn(fields, name) && fields[name] === value
}

const difference = ({ base, head }: ComparedValues, of: (cell: Cell) => number | null): number | null => {
  const [before, after] = [base && of(base), head && of(head)]
  return before === null || after === null ? null : after - before
}

const VALUES: Readonly<Record<Exclude<ComparedSort, 'change'>, (pair: ComparedValues) => number | string | null>> = {
  name: ({ name, test_id }) => (name ?? test_id)?.toLowerCase() ?? null,
  tags: ({ tags }) => tags.join(', ').toLowerCase() || null,
  base_score: ({ base }) => base && base.score,
  head_score: ({ head }) => head && head.score,
  score_change: (pair) => difference(pair, ({ score }) => score),
  flips: ({ flips }) => flips,
  base_latency: ({ base }) => base && base.latency_ms,
  head_latency: ({ head }) => head && head.latency_ms,
  tokens_change: (pair) => difference(pair, ({ output_tokens }) => output_tokens),
}

/**
 * Pairs in an order. Those without the value are last in both directions, and those with the same one keep their order.
 * `change` in the other direction is the list from its end.
 */
export const sortCompared = <P>(
  pairs: readonly P[],
  { sort, order }: { readonly sort: ComparedSort; readonly order: 'asc' | 'desc' },
  valuesOf: (pair: P) => ComparedValues,
): readonly P[] => {
  if (sort === 'change') return order === 'asc' ? pairs : pairs.toReversed()
  const sign = order === 'asc' ? 1 : -1
  return pairs
    .map((pair) => ({ pair, value: VALUES[sort](valuesOf(pair)) }))
    .sort(({ value: one }, { value: other }) => {
      if (one === null || other === null) return Number(one === null) - Number(other === null)
      return one === other ? 0 : one < other ? -sign : sign
    })
    .map(({ pair }) => pair)
}
