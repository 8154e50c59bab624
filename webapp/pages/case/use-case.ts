import { queryOptions, useQuery, useQueryClient } from '@tanstack/vue-query'
import { computed, toValue, watchEffect } from 'vue'
import type { MaybeRefOrGetter } from 'vue'
import type { CaseDetail, CaseList, CaseListItem } from '../../../queries/cases.ts'
import type { CaseHistory } from '../../../queries/history.ts'
import type { RunList } from '../../../queries/runs.ts'
import { ApiError, api, pathTo, queryOf } from '../../api.ts'
import { useCaseOrder } from '../../composables/use-case-order.ts'
import { useRun } from '../../composables/use-run.ts'
import { historyCells, SHOWN_RUNS } from './history.ts'
import { readCaseDetail } from './read-case.ts'

type Address = { readonly id: string; readonly case_key: string }

/** A case never changes; its run can only be deleted. */
const KEPT_MS = 5 * 60_000

const caseQuery = ({ id, case_key }: Address) =>
  queryOptions({
    queryKey: ['case', id, case_key],
    queryFn: async ({ signal }): Promise<CaseDetail> => readCaseDetail(await api.text(pathTo('runs', id, 'cases', case_key), signal)),
    staleTime: KEPT_MS,
  })

/** More points than a strip shows, since a run that is open may be an older one. */
const POINTS = 100
const MOST_TRIALS = 200

/** One case of a run: itself, its trials in the run, its history over the suite's newest runs, and what stands beside it. */
export const useCase = (of: MaybeRefOrGetter<Address>) => {
  const client = useQueryClient()
  const { data: found, error, refetch } = useQuery(computed(() => caseQuery(toValue(of))))
  // Of the case before, while the next one is on its way.
  const one = computed(() => (found.value?.case_key === toValue(of).case_key ? found.value : null))

  const { run } = useRun(() => toValue(of).id)

  const trialsQuery = computed(() => {
    const { id } = toValue(of)
    const cell = one.value?.cell
    return {
      queryKey: ['case-trials', id, cell?.provider_id, cell?.prompt_id, cell?.test_id],
      enabled: cell !== undefined,
      staleTime: KEPT_MS,
      queryFn: async ({ signal }: { signal: AbortSignal }): Promise<readonly CaseListItem[]> => {
        const asked = queryOf({ provider: cell?.provider_id, prompt: cell?.prompt_id, test: cell?.test_id, limit: MOST_TRIALS })
        const { cases } = await api.get<CaseList>(`${pathTo('runs', id, 'cases')}${asked}`, signal)
        // What is empty or absent cannot be asked for.
        const same = cases.filter(({ provider_id, prompt_id, test_id }) => provider_id === cell?.provider_id && (prompt_id ?? '') === (cell?.prompt_id ?? '') && test_id === cell?.test_id)
        return same.sort((a, b) => (a.repeat ?? 0) - (b.repeat ?? 0))
      },
    }
  })
  const { data: trials } = useQuery(trialsQuery)
  const itself = computed(() => trials.value?.find(({ case_key }) => case_key === toValue(of).case_key) ?? null)

  const order = useCaseOrder(
    () => ({ ...toValue(of), idx: itself.value?.idx ?? null }),
    () => one.value?.status ?? order.row.value?.status ?? null,
  )
  watchEffect(() => {
    // Once this one is drawn, those one step away.
    if (!one.value) return
    for (const beside of [order.next.value, order.previous.value]) if (beside) void client.prefetchQuery(caseQuery({ id: toValue(of).id, case_key: beside.case_key }))
  })
  const position = computed(() => {
    if (order.position.value) return order.position.value
    if (order.filtered.value || !itself.value) return null
    return { at: itself.value.idx + 1, total: run.value?.case_count ?? null }
  })

  const { data: history } = useQuery(
    computed(() => {
      const { id, case_key } = toValue(of)
      const { project, suite } = run.value ?? { project: null, suite: null }
      return {
        queryKey: ['case-history', project, suite, case_key, id],
        // A case without a suite has no history.
        enabled: Boolean(project) && Boolean(suite),
        queryFn: async ({ signal }: { signal: AbortSignal }) => {
          const set = { project: project ?? '', suite: suite ?? '' }
          const points = api.get<CaseHistory>(`${pathTo('projects', set.project, 'suites', set.suite, 'cases', case_key, 'history')}${queryOf({ limit: POINTS })}`, signal).catch((reason: unknown) => {
            if (reason instanceof ApiError && reason.status === 404) return null
            throw reason
          })
          const runs = api.get<RunList>(`/runs${queryOf({ ...set, cached: 'all', limit: SHOWN_RUNS })}`, signal)
          const [told, listed] = await Promise.all([points, runs])
          return { cells: told ? historyCells(listed.runs, told.points, id) : [], baseline_run_id: told?.baseline_run_id ?? null }
        },
      }
    }),
  )

  return { one, error, refetch, run, trials, history, order, position }
}
