import { keepPreviousData, useQuery } from '@tanstack/vue-query'
import { computed } from 'vue'
import type { CaseDetail } from '../../../queries/cases/cases.ts'
import type { CaseTimeline } from '../../../queries/cases/timeline.ts'
import { api, ApiError, pathTo, queryOf } from '../../api/api.ts'
import { useList } from '../../api/use-list.ts'
import { readCaseDetail } from '../case/read-case.ts'

/** Runs of the first page, and of each page of older runs. */
const [NEWEST_RUNS, OLDER_RUNS] = [60, 200]
/** Maximum number of runs that the page shows. */
export const MAX_RUNS = NEWEST_RUNS + 3 * OLDER_RUNS

export type HistoryAddress = { readonly project: string; readonly suite: string; readonly case_key: string }
export type HistoryRun = CaseTimeline['runs'][number]

/**
 * The case in the runs of its suite, newest first, page by page. Pages are loaded until they have the runs that the
 * address needs: `shown` of them, and the run `wanted`. `missing`: no visible run has the case.
 */
export const useTimeline = (
  address: () => HistoryAddress,
  needed: () => { readonly shown: number; readonly wanted: string | null },
) => {
  const list = useList({
    key: () => ['timeline', address()],
    path: ([, { project, suite, case_key }], cursor) => {
      const path = pathTo('projects', project, 'suites', suite, 'cases', case_key, 'timeline')
      return `${path}${queryOf({ limit: cursor === null ? NEWEST_RUNS : OLDER_RUNS, cursor })}`
    },
    rows: (page: CaseTimeline) => page.runs,
    keeps: () => false,
  })
  const runs = list.rows
  const hasOlder = computed(() => list.hasMore.value && runs.value.length < MAX_RUNS)
  list.loadWhile(() => {
    const { shown, wanted } = needed()
    const lacksRun = wanted !== null && !runs.value.some(({ run_id }) => run_id === wanted)
    return hasOlder.value && (runs.value.length < shown || lacksRun)
  })
  return {
    ...list,
    timeline: list.first,
    runs,
    hasOlder,
    /** The number of runs that are shown with one more page. */
    nextShown: computed(() => Math.min(MAX_RUNS, runs.value.length + OLDER_RUNS)),
    missing: computed(() => list.error.value instanceof ApiError && list.error.value.status === 404),
  }
}

/** A case never changes; its run can only be deleted. */
const CASE_STALE_MS = 5 * 60_000

/** The case in full in one run; nothing is requested while there is no run. */
export const useCaseIn = (run_id: () => string | null, case_key: () => string) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['case', computed(run_id), computed(case_key)],
    queryFn: async ({ signal }): Promise<CaseDetail> =>
      readCaseDetail(await api.text(pathTo('runs', run_id() ?? '', 'cases', case_key()), signal)),
    enabled: () => run_id() !== null,
    staleTime: CASE_STALE_MS,
    placeholderData: keepPreviousData,
  })
  return { detail: data, error, reload: () => void refetch() }
}
