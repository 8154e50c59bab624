import type { LocationQuery } from 'vue-router'

/** What the list can be filtered by, in the order in which it is offered; each is a parameter of the page's address. */
export const FIELDS = [
  'project',
  'suite',
  'tag',
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

/** What a filter does, for whoever chooses one. */
export const FIELD_WORDS: Readonly<Record<Field, string>> = {
  project: 'Runs of a project',
  suite: 'Runs of a suite',
  tag: 'Runs with a tag',
  branch: 'Runs of a git branch',
  status: 'Passed, failed, or with errors',
  origin: 'From CI, or local',
  actor: 'Started or uploaded by somebody',
  finished: 'Finished lately',
  since: 'Finished on a day or later',
  until: 'Finished on a day or before',
  cached: 'Fully cached runs too, or alone',
}

const DAY_MS = 86_400_000
const DAYS: Readonly<Record<string, number>> = { '1d': 1, '7d': 7, '30d': 30, '90d': 90, '365d': 365 }

/** Values that are known beforehand, by what they are called. */
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
  cached: { all: 'shown', only: 'nothing else' },
}

/** A value as a chip shows it; one that is not known stands as it is, and the server says what is wrong with it. */
export const valueWords = (field: Field, value: string): string => VALUE_WORDS[field]?.[value] ?? value

/** The filters of an address. Of a parameter given twice the first counts. */
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
 * What the server is asked: fully cached runs are left out unless asked for, a day is a day of UTC, `now` is epoch
 * milliseconds.
 */
export const askedFor = ({ finished, since, until, ...filters }: RunFilters, now: number): Record<string, string> => {
  const days = finished === undefined ? undefined : DAYS[finished]
  // By the minute: then the same question within one is the same address, which the server may have answered already.
  const lately = days === undefined ? finished : String(Math.floor((now - days * DAY_MS) / MINUTE_MS) * MINUTE_MS)
  const from = since ?? lately
  return {
    cached: 'exclude',
    ...filters,
    ...(from === undefined ? {} : { since: DAY.test(from) ? `${from}T00:00:00Z` : from }),
    ...(until === undefined ? {} : { until: DAY.test(until) ? `${until}T23:59:59.999Z` : until }),
  }
}

/** Filters with some set; one that an older one contradicts takes its place. */
export const withFilters = (filters: RunFilters, set: RunFilters): RunFilters => {
  const { finished, since, ...others } = filters
  return {
    ...others,
    ...(finished !== undefined && set.since === undefined ? { finished } : {}),
    ...(since !== undefined && set.finished === undefined ? { since } : {}),
    ...set,
  }
}

/** Filters without one. */
export const withoutFilter = (filters: RunFilters, gone: Field): RunFilters =>
  Object.fromEntries(Object.entries(filters).filter(([field]) => field !== gone))
