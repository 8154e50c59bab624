import type { LocationQuery } from 'vue-router'

/** The filters of the list, in the order of the suggestions. Each is a parameter of the page's address. */
export const FIELDS = [
  'project',
  'suite',
  'tag',
  'provider',
  'branch',
  'status',
  'origin',
  'actor',
  'finished',
  'since',
  'until',
  'cached',
] as const
export type Field = (typeof FIELDS)[number]
export type RunFilters = Readonly<Partial<Record<Field, string>>>

/** Descriptions of the filters in the suggestions. */
export const FIELD_WORDS: Readonly<Record<Field, string>> = {
  project: 'Runs of a project',
  suite: 'Runs of a suite',
  tag: 'Runs with a tag',
  provider: 'Runs of a model, by the name of its provider',
  branch: 'Runs of a git branch',
  status: 'Passed, failed, or with errors',
  origin: 'From CI, or local',
  actor: 'Started or uploaded by a person',
  finished: 'Finished recently',
  since: 'Finished on a day or later',
  until: 'Finished on a day or before',
  cached: 'Fully cached runs too, or only them',
}

const DAY_MS = 86_400_000
const DAYS: Readonly<Record<string, number>> = { '1d': 1, '7d': 7, '30d': 30, '90d': 90, '365d': 365 }

/** The words for values that are known in advance. */
export const VALUE_WORDS: Readonly<Partial<Record<Field, Readonly<Record<string, string>>>>> = {
  status: { pass: 'pass', fail: 'fail', error: 'error' },
  origin: { ci: 'CI', local: 'local' },
  finished: {
    '1d': 'last 24 hours',
    '7d': 'last 7 days',
    '30d': 'last 30 days',
    '90d': 'last 90 days',
    '365d': 'last year',
  },
  cached: { all: 'included', only: 'only' },
}

/** A value as a chip shows it. An unknown value is shown unchanged; the server returns an error for it. */
export const valueWords = (field: Field, value: string): string => VALUE_WORDS[field]?.[value] ?? value

/** The filters in an address. If a parameter is repeated, the first value counts. */
export const readFilters = (query: LocationQuery): RunFilters =>
  Object.fromEntries(
    FIELDS.flatMap((field) => {
      const value = [query[field]].flat()[0]
      return value === undefined || value === null || value === '' ? [] : [[field, value]]
    }),
  )

const DAY = /^\d{4}-\d\d-\d\d$/
const MINUTE_MS = 60_000

/**
 * The query parameters for the server. Fully cached runs are excluded by default. Days are in UTC. `now` is epoch
 * milliseconds.
 */
export const runListParameters = (
  { finished, since, until, ...filters }: RunFilters,
  now: number,
): Record<string, string> => {
  const days = finished === undefined ? undefined : DAYS[finished]
  // Rounded to the minute, so that requests within a minute have the same address and can use a cached response.
  const recentStart = days === undefined ? finished : String(Math.floor((now - days * DAY_MS) / MINUTE_MS) * MINUTE_MS)
  const from = since ?? recentStart
  return {
    cached: 'exclude',
    ...filters,
    ...(from === undefined ? {} : { since: DAY.test(from) ? `${from}T00:00:00Z` : from }),
    ...(until === undefined ? {} : { until: DAY.test(until) ? `${until}T23:59:59.999Z` : until }),
  }
}

/** Adds filters to existing ones. `finished` and `since` exclude each other: the new one replaces the old one. */
export const withFilters = (filters: RunFilters, set: RunFilters): RunFilters => {
  const { finished, since, ...others } = filters
  return {
    ...others,
    ...(finished !== undefined && set.since === undefined ? { finished } : {}),
    ...(since !== undefined && set.finished === undefined ? { since } : {}),
    ...set,
  }
}

/** The filters without the filter of one field. */
export const withoutFilter = (filters: RunFilters, removed: Field): RunFilters =>
  Object.fromEntries(Object.entries(filters).filter(([field]) => field !== removed))

const INSTANT = /^(?:-?\d{1,16}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))$/

/** Whether a value is one that a filter has: an address can contain any text. */
const isValue = (field: Field, value: string): boolean => {
  if (field === 'since' || field === 'until')
    return INSTANT.test(value) || (DAY.test(value) && !Number.isNaN(Date.parse(`${value}T00:00:00Z`)))
  const words = VALUE_WORDS[field]
  return words === undefined || value in words || (field === 'cached' && value === 'exclude')
}

/** The filters whose value does not exist, such as `status:green`. */
export const unknownValues = (filters: RunFilters): readonly Field[] =>
  FIELDS.filter((field) => filters[field] !== undefined && !isValue(field, filters[field]))
