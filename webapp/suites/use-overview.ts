import { toValue, computed, type MaybeRefOrGetter } from 'vue'
import type { Overview } from '../../queries/sets/overview.ts'
import { queryOf } from '../api/api.ts'
import { useList } from '../api/use-list.ts'

export type OverviewSuite = Overview['suites'][number]

/**
 * Filters of suites: words of their names, owners and reasons; their owner; and whether archived ones are listed instead of
 * the others.
 */
export type SuiteFilters = {
  readonly q?: string | undefined
  readonly owner?: string | undefined
  readonly archived?: true | undefined
}

/** Interval of requests while the server has no runs, because the user may be waiting for a first upload. */
const EMPTY_CHECK_INTERVAL_MS = 1500

/**
 * What needs attention over the suites of some projects, worst first, page by page; of all projects if none is given. With
 * `all`, every page is loaded. The first page is about all suites, not only those that are loaded.
 */
export const useOverview = (
  projects: MaybeRefOrGetter<readonly string[]>,
  pageSize: number,
  { all = false, filters = {} }: { all?: boolean; filters?: MaybeRefOrGetter<SuiteFilters> } = {},
) => {
  const list = useList({
    key: () => ['overview', toValue(projects), pageSize, toValue(filters)] as const,
    // New figures would move the rows.
    meta: computed(() => {
      const [project, another] = toValue(projects)
      return { live: { held: true, ...(project !== undefined && another === undefined && { project }) } }
    }),
    path: ([, project, limit, asked], cursor) => `/overview${queryOf({ project, limit, cursor, ...asked })}`,
    rows: (page: Overview) => page.suites,
    again: (newest) =>
      // Projects without suites say nothing about the server.
      toValue(projects).length === 0 && newest?.counts.suites === 0 && newest.latest_runs.length === 0
        ? EMPTY_CHECK_INTERVAL_MS
        : false,
  })
  list.loadWhile(() => all)
  return { ...list, overview: list.first, suites: list.rows }
}
