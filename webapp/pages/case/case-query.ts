import { queryOptions } from '@tanstack/vue-query'
import type { CaseDetail } from '../../../queries/cases/cases.ts'
import { api, pathTo } from '../../api/api.ts'
import { readCaseDetail } from './read-case.ts'

export type CaseAddress = { readonly id: string; readonly case_key: string }

/** How long cases stay fresh in the cache. A case never changes; its run can only be deleted. */
export const CASE_STALE_MS = 5 * 60_000

/** One case in full. */
export const caseQuery = ({ id, case_key }: CaseAddress) =>
  queryOptions({
    queryKey: ['case', id, case_key],
    queryFn: async ({ signal }): Promise<CaseDetail> =>
      readCaseDetail(await api.text(pathTo('runs', id, 'cases', case_key), signal)),
    staleTime: CASE_STALE_MS,
  })
