import type { LocationQuery } from 'vue-router'
import { pathTo, queryOf } from '../api/api.ts'
import { formatDuration, formatScore } from '../text/format.ts'
import { STATUS_WORDS, STATUSES } from '../runs/statuses.ts'
import { visibleLine } from '../text/visible-text.ts'

/** The filters of cases, by their names in the address, in the order of the chips. */
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
  'field',
  'q',
] as const
export type FilterName = (typeof FILTERS)[number]
/** The filters that are set. A range is `from..below`, or `from..` if it has no upper end. */
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
  field: 'Field',
  q: 'Text',
}

export type Range = { readonly from: number; readonly below: number | null }

/** Parses `1200..3400` or `1200..`; returns null for other texts. */
export const parseRange = (text: string | undefined): Range | null => {
  const [, from, below] = /^(-?\d{1,15}(?:\.\d{1,20})?)\.\.(-?\d{1,15}(?:\.\d{1,20})?)?$/.exec(text ?? '') ?? []
  if (from === undefined) return null
  const range = { from: Number(from), below: below === undefined ? null : Number(below) }
  return range.below !== null && range.below <= range.from ? null : range
}
export const rangeText = ({ from, below }: Range): string => `${from}..${below ?? ''}`

const ALLOWED_VALUES: Readonly<Partial<Record<FilterName, readonly string[]>>> = {
  status: STATUSES,
  cached: ['true', 'false'],
}
const isRange = (name: FilterName): boolean => name === 'score' || name === 'latency'

/**
 * The filters in an address, without the values that a filter does not accept.
 */
export const readCaseFilters = (query: LocationQuery): CaseFilters => {
  const filters: Partial<Record<FilterName, string>> = {}
  for (const name of FILTERS) {
    const value = query[name]
    if (typeof value !== 'string' || value === '') continue
    if (ALLOWED_VALUES[name]?.includes(value) === false || (isRange(name) && parseRange(value) === null)) continue
    if (name === 'field' && !value.includes('=')) continue
    filters[name] = value
  }
  return filters
}

/** The filters as query parameters of the server. */
const caseParameters = ({ score, latency, ...rest }: CaseFilters): Record<string, string | number | null> => {
  const [scores, latencies] = [parseRange(score), parseRange(latency)]
  return {
    ...rest,
    ...(scores && { score_from: scores.from, score_below: scores.below }),
    ...(latencies && { latency_from: latencies.from, latency_below: latencies.below }),
  }
}

/**
 * The path of the server's list of the cases that match. Filters by score or latency need another route. `page` selects
 * the part of the list.
 */
export const casesPath = (
  run_id: string,
  filters: CaseFilters,
  page: Readonly<Record<string, string | number | null>>,
): string => {
  const list =
    filters.score === undefined && filters.latency === undefined
      ? pathTo('runs', run_id, 'cases')
      : pathTo('runs', run_id, 'distribution', 'cases')
  return `${list}${queryOf({ ...caseParameters(filters), ...page })}`
}

/** The path of a part of the list by its place. `order` is null for the order of the document. */
export const caseRowsPath = (
  run_id: string,
  filters: CaseFilters,
  order: { readonly sort: string; readonly order: string } | null,
  page: Readonly<Record<string, string | number | null>>,
): string => `${pathTo('runs', run_id, 'case-rows')}${queryOf({ ...caseParameters(filters), ...order, ...page })}`

/** The path of the fields of the cases that match, and of their groups. */
export const caseFieldsPath = (run_id: string, filters: CaseFilters, by: string): string =>
  `${pathTo('runs', run_id, 'case-fields')}${queryOf({ ...caseParameters(filters), by })}`

/** The address of the list as a CSV file for a spreadsheet: with a byte order mark. */
export const casesCsvPath = (
  run_id: string,
  filters: CaseFilters,
  order: { readonly sort: string; readonly order: string } | null,
): string =>
  `/api/v1${pathTo('runs', run_id, 'cases.csv')}${queryOf({ ...caseParameters(filters), ...order, bom: true })}`

/** Values in an address that their filter does not accept. */
export const unknownCaseFilters = (
  query: LocationQuery,
): ReadonlyArray<{ readonly name: FilterName; readonly value: string }> => {
  const known = readCaseFilters(query)
  return FILTERS.flatMap((name) => {
    const value = [query[name]].flat()[0]
    return typeof value === 'string' && value !== '' && known[name] === undefined ? [{ name, value }] : []
  })
}
/** The values that a filter accepts, as the end of a sentence; nothing for a filter that takes any text. */
export const allowedWords = (name: FilterName): string => {
  const values = ALLOWED_VALUES[name]
  if (values) return `. Its values are ${values.join(', ')}`
  if (name === 'field') return '. It takes a name and a value, such as var.city=Lima'
  return isRange(name) ? '. It takes a range, such as 0.5..0.9' : ''
}

/** A filter's value in the words that the page shows. */
export const valueWords = (name: FilterName, value: string): string => {
  if (name === 'status')
    return STATUSES.some((status) => status === value) ? STATUS_WORDS[value as keyof typeof STATUS_WORDS] : value
  if (name === 'cached') return value === 'true' ? 'yes' : 'no'
  const range = isRange(name) ? parseRange(value) : null
  if (!range) return value.replaceAll('_', ' ').trim() === '' ? JSON.stringify(value) : visibleLine(value)
  const format = name === 'latency' ? formatDuration : formatScore
  return range.below === null ? `${format(range.from)} or more` : `${format(range.from)} to ${format(range.below)}`
}

/** Parses `tag:refund` as a filter; returns null for a text to search for. */
export const parseTyped = (text: string): { readonly name: FilterName; readonly value: string } | null => {
  const end = text.indexOf(':')
  const given = text.slice(end + 1).trim()
  if (/^(?:var|assert)\../.test(text) && end > 0 && given !== '')
    return { name: 'field', value: `${text.slice(0, end)}=${given}` }
  const [, typed, value] = /^([a-z_ ]+):\s*(\S.*)$/i.exec(text.trim()) ?? []
  const name = FILTERS.find((filter) => filter === typed?.toLowerCase().replaceAll(' ', '_'))
  if (!name || value === undefined) return null
  return readCaseFilters({ [name]: value })[name] === undefined ? null : { name, value }
}
