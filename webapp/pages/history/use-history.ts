import { keepPreviousData, useQuery } from '@tanstack/vue-query'
import { computed } from 'vue'
import type { CaseDetail } from '../../../queries/cases/cases.ts'
import type { CaseTimeline } from '../../../queries/cases/timeline.ts'
import { api, ApiError, pathTo, queryOf } from '../../api/api.ts'
import { readCaseDetail } from '../case/read-case.ts'

/** Number of newest runs of a case that the page shows. */
export const SHOWN_RUNS = 60

export type HistoryAddress = { readonly project: string; readonly suite: string; readonly case_key: string }
export type HistoryRun = CaseTimeline['runs'][number]

/** The case in the newest runs of its suite. `missing`: no visible run has it. */
export const useTimeline = (address: () => HistoryAddress) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['timeline', computed(address)],
    queryFn: ({ signal }) => {
      const { project, suite, case_key } = address()
      const path = pathTo('projects', project, 'suites', suite, 'cases', case_key, 'timeline')
      return api.get<CaseTimeline>(`${path}${queryOf({ limit: SHOWN_RUNS })}`, signal)
    },
  })
  const missing = computed(() => error.value instanceof ApiError && error.value.status === 404)
  return { timeline: data, error, missing, reload: () => void refetch() }
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
