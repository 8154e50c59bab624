import type { LocationQuery } from 'vue-router'
import { formatCost } from '../../text/format.ts'
import { visibleLine } from '../../text/visible-text.ts'
import { kindWords } from './cache-words.ts'

/** The filters of entries, by their names in the address, in the order of the chips. */
export const FILTERS = ['kind', 'model', 'empty_reason', 'stored', 'paid', 'q'] as const
export type FilterName = (typeof FILTERS)[number]
/**
 * The filters that are set. `stored` is a span that ends now, such as `7d`, or days as `from..to`; `paid` is US dollars
 * as `from..to`. Either end of a range may be missing.
 */
export type CacheFilters = Readonly<Partial<Record<FilterName, string>>>

export const FILTER_WORDS: Readonly<Record<FilterName, string>> = {
  kind: 'Kind',
  model: 'Model',
  empty_reason: 'Empty because',
  stored: 'Stored',
  paid: 'Paid',
  q: 'Words',
}

const DAY_MS = 86_400_000
const MICROS = 1e6

type Range = { readonly from: string; readonly to: string }

const DAY = /^\d{4}-\d{2}-\d{2}$/
const USD = /^\d{1,6}(?:\.\d{1,6})?$/
const SPAN = /^[1-9]\d{0,4}d$/

/** Parses `from..to` with ends of a form; null if an end has another form, or if both are missing. */
const parseRange = (text: string, form: RegExp): Range | null => {
  const ends = text.split('..')
  const [from = '', to = ''] = ends
  if (ends.length !== 2 || (from === '' && to === '')) return null
  return [from, to].every((end) => end === '' || form.test(end)) ? { from, to } : null
}

/** The two ends of a range in the address, for input fields; empty for a span or no range. */
export const endsOf = (text: string | undefined): Range => {
  const [from = '', to = ''] = text?.includes('..') ? text.split('..') : []
  return { from, to }
}
export const rangeText = ({ from, to }: Range): string => (from === '' && to === '' ? '' : `${from}..${to}`)

const isDay = (text: string): boolean => DAY.test(text) && !Number.isNaN(Date.parse(text))

const isValid = (name: FilterName, value: string): boolean => {
  if (name === 'paid') return parseRange(value, USD) !== null
  if (name !== 'stored' || SPAN.test(value)) return true
  const range = parseRange(value, DAY)
  return range !== null && [range.from, range.to].every((end) => end === '' || isDay(end))
}

/** The filters in an address, without the values that a filter does not accept. */
export const readCacheFilters = (query: LocationQuery): CacheFilters => {
  const filters: Partial<Record<FilterName, string>> = {}
  for (const name of FILTERS) {
    const value = query[name]
    if (typeof value === 'string' && value !== '' && isValid(name, value)) filters[name] = value
  }
  return filters
}

/** Values in an address that their filter does not accept. */
export const unknownCacheFilters = (
  query: LocationQuery,
): ReadonlyArray<{ readonly name: FilterName; readonly value: string }> => {
  const known = readCacheFilters(query)
  return FILTERS.flatMap((name) => {
    const value = [query[name]].flat()[0]
    return typeof value === 'string' && value !== '' && known[name] === undefined ? [{ name, value }] : []
  })
}

/** The filters as query parameters of the server. A day is the whole day in UTC. */
export const entryParameters = (
  { stored, paid, ...rest }: CacheFilters,
  now: number,
): Record<string, string | number | undefined> => {
  const days = stored === undefined || SPAN.test(stored) ? null : parseRange(stored, DAY)
  const costs = paid === undefined ? null : parseRange(paid, USD)
  const micros = (usd: string): number | undefined => (usd === '' ? undefined : Math.round(Number(usd) * MICROS))
  return {
    ...rest,
    ...(stored !== undefined && SPAN.test(stored) ? { since: now - Number.parseInt(stored, 10) * DAY_MS } : {}),
    ...(days && {
      since: days.from === '' ? undefined : Date.parse(days.from),
      until: days.to === '' ? undefined : Date.parse(days.to) + DAY_MS - 1,
    }),
    ...(costs && { min_cost_microusd: micros(costs.from), max_cost_microusd: micros(costs.to) }),
  }
}

const rangeWords = ({ from, to }: Range, words: (end: string) => string): string => {
  if (to === '') return `${words(from)} or more`
  return from === '' ? `up to ${words(to)}` : `${words(from)} to ${words(to)}`
}

/** A filter's value in the words that the page shows. */
export const valueWords = (name: FilterName, value: string): string => {
  if (name === 'kind') return kindWords(value)
  if (name === 'stored' && SPAN.test(value)) {
    const days = Number.parseInt(value, 10)
    return days === 1 ? 'last day' : `last ${days} days`
  }
  const range = name === 'stored' ? parseRange(value, DAY) : name === 'paid' ? parseRange(value, USD) : null
  if (!range) return visibleLine(value).trim() === '' ? JSON.stringify(value) : visibleLine(value)
  if (name === 'paid') return rangeWords(range, (usd) => formatCost(Number(usd)))
  return range.to === '' ? `since ${range.from}` : rangeWords(range, (day) => day)
}

/** Parses `model:fast` or `paid:0.01..` as a filter; null for words to search for. */
export const parseTyped = (text: string): { readonly name: FilterName; readonly value: string } | null => {
  const [, typed, value] = /^([a-z_ ]+):\s*(\S.*)$/i.exec(text.trim()) ?? []
  const asked = typed?.toLowerCase().replaceAll(' ', '_')
  const name = FILTERS.find((filter) => filter === asked && filter !== 'q')
  if (!name || value === undefined) return null
  return isValid(name, value) ? { name, value } : null
}
