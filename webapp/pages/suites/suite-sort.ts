import type { OverviewSuite } from '../../suites/use-overview.ts'

const SORTS = ['need', 'name', 'runs', 'last', 'cases', 'rate', 'baseline'] as const
type Column = (typeof SORTS)[number]
export type Sort = { readonly column: Column; readonly descending: boolean }

/** By need: the order in which the server lists suites, those that need attention first. */
const DEFAULT_SORT: Sort = { column: 'need', descending: false }

/** A sort as the address has it: `last` or `-last`; the default if it is none. */
export const parseSort = (text: unknown): Sort => {
  const descending = typeof text === 'string' && text.startsWith('-')
  const name = typeof text === 'string' ? text.replace(/^-/, '') : ''
  const column = SORTS.find((each) => each === name)
  return column ? { column, descending } : DEFAULT_SORT
}
export const isSort = (text: string): boolean => SORTS.some((each) => each === text.replace(/^-/, ''))
export const sortText = ({ column, descending }: Sort): string => `${descending ? '-' : ''}${column}`

/** The sort after a click on a header: numbers begin with the highest, a second click turns them round. */
export const nextSort = (current: Sort, column: Column): Sort =>
  current.column === column ? { column, descending: !current.descending } : { column, descending: column !== 'name' }

const columnValue = ({ newest_run, run_count, baseline }: OverviewSuite, column: Column): number | null => {
  if (column === 'runs') return run_count
  if (column === 'last') return Date.parse(newest_run.created_at)
  if (column === 'cases') return newest_run.case_count
  if (column === 'rate') return newest_run.case_count === 0 ? null : newest_run.pass_rate.rate
  return baseline?.pass_rate?.rate ?? null
}

const byName = (a: OverviewSuite, b: OverviewSuite): number =>
  a.project.localeCompare(b.project) || a.suite.localeCompare(b.suite)

/** Suites in an order. Those without a value are last in both directions; equal ones are in the order of names. */
export const sortSuites = (suites: readonly OverviewSuite[], { column, descending }: Sort): OverviewSuite[] => {
  if (column === 'need') return descending ? suites.toReversed() : [...suites]
  const sign = descending ? -1 : 1
  if (column === 'name') return suites.toSorted((a, b) => sign * byName(a, b))
  return suites.toSorted((a, b) => {
    const [left, right] = [columnValue(a, column), columnValue(b, column)]
    if (left === null || right === null) return Number(left === null) - Number(right === null) || byName(a, b)
    return sign * (left - right) || byName(a, b)
  })
}

/** Suites whose name or project contains a text. */
export const filterSuites = (suites: readonly OverviewSuite[], text: string): readonly OverviewSuite[] => {
  const needle = text.trim().toLowerCase()
  if (needle === '') return suites
  return suites.filter(({ project, suite }) => `${project}/${suite}`.toLowerCase().includes(needle))
}
