import type { LocationQuery } from 'vue-router'
import { pathTo, queryOf } from '../api/api.ts'
import { formatDuration, formatScore } from '../text/format.ts'
import { STATUS_WORDS, STATUSES } from '../runs/statuses.ts'
import { visibleLine } from '../text/visible-text.ts'

/** What cases can be filtered with, as the address names it and in the order of the chips. */
export const FILTERS = [
  'status',
  'tag',
  'provider',
  'prompt',
  'test',
  'score',
  'latency',
  'stop_reason',
  'error_class',
  'empty_reason',
  'cached',
  'q',
] as const
export type FilterName = (typeof FILTERS)[number]
/** The filters that are set. A range is `from..below`, `below` left out where there is no end. */
export type CaseFilters = Readonly<Partial<Record<FilterName, string>>>

export const FILTER_WORDS: Readonly<Record<FilterName, string>> = {
  status: 'Status',
  tag: 'Tag',
  provider: 'Provider',
  prompt: 'Prompt',
  test: 'Test',
  score: 'Score',
  latency: 'Latency',
  stop_reason: 'Stop reason',
  error_class: 'Error class',
  empty_reason: 'Empty because',
  cached: 'From cache',
  q: 'Text',
}

export type Range = { readonly from: number; readonly below: number | null }

/** `1200..3400` or `1200..`; null for text that is no range. */
export const parseRange = (text: string | undefined): Range | null => {
  const [, from, below] = /^(-?\d{1,15}(?:\.\d{1,20})?)\.\.(-?\d{1,15}(?:\.\d{1,20})?)?$/.exec(text ?? '') ?? []
  if (from === undefined) return null
  const range = { from: Number(from), below: below === undefined ? null : Number(below) }
  return range.below !== null && range.below <= range.from ? null : range
}
export const rangeText = ({ from, below }: Range): string => `${from}..${below ?? ''}`

const ONE_OF: Readonly<Partial<Record<FilterName, readonly string[]>>> = { status: STATUSES, cached: ['true', 'false'] }
const isRange = (name: FilterName): boolean => name === 'score' || name === 'latency'

/**
 * The filters that an address holds. What is no value of a filter is left out, so that a mistyped address still shows
 * cases.
 */
export const filtersOf = (query: LocationQuery): CaseFilters => {
  const found: Partial<Record<FilterName, string>> = {}
  for (const name of FILTERS) {
    const value = query[name]
    if (typeof value !== 'string' || value === '') continue
    if (ONE_OF[name]?.includes(value) === false || (isRange(name) && parseRange(value) === null)) continue
    found[name] = value
  }
  return found
}

/** The filters as the server's parameters. */
const parametersOf = ({ score, latency, ...rest }: CaseFilters): Record<string, string | number | null> => {
  const [scores, latencies] = [parseRange(score), parseRange(latency)]
  return {
    ...rest,
    ...(scores && { score_from: scores.from, score_below: scores.below }),
    ...(latencies && { latency_from: latencies.from, latency_below: latencies.below }),
  }
}

/**
 * Where the server lists the cases of a run that match: bounds of score and latency have a list of their own. `place`
 * is the part of the list that is asked for.
 */
export const casesPath = (
  run_id: string,
  filters: CaseFilters,
  place: Readonly<Record<string, string | number | null>>,
): string => {
  const list =
    filters.score === undefined && filters.latency === undefined
      ? pathTo('runs', run_id, 'cases')
      : pathTo('runs', run_id, 'distribution', 'cases')
  return `${list}${queryOf({ ...parametersOf(filters), ...place })}`
}

/** A filter's value in words. */
export const valueWords = (name: FilterName, value: string): string => {
  if (name === 'status')
    return STATUSES.some((status) => status === value) ? STATUS_WORDS[value as keyof typeof STATUS_WORDS] : value
  if (name === 'cached') return value === 'true' ? 'yes' : 'no'
  const range = isRange(name) ? parseRange(value) : null
  if (!range) return value.replaceAll('_', ' ').trim() === '' ? JSON.stringify(value) : visibleLine(value)
  const tell = name === 'latency' ? formatDuration : formatScore
  return range.below === null ? `${tell(range.from)} and more` : `${tell(range.from)} to ${tell(range.below)}`
}

/** `tag:refund` typed as a filter; null for text to look for. */
export const parseTyped = (text: string): { readonly name: FilterName; readonly value: string } | null => {
  const [, typed, value] = /^([a-z_ ]+):\s*(\S.*)$/i.exec(text.trim()) ?? []
  const name = FILTERS.find((each) => each === typed?.toLowerCase().replaceAll(' ', '_'))
  if (!name || value === undefined) return null
  return filtersOf({ [name]: value })[name] === undefined ? null : { name, value }
}
