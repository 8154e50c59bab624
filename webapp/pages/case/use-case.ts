import { queryOptions, useQuery, useQueryClient } from '@tanstack/vue-query'
import { computed, toValue, watchEffect } from 'vue'
import type { MaybeRefOrGetter } from 'vue'
import type { CaseDetail, CaseList, CaseListItem } from '../../../queries/cases/cases.ts'
import type { CaseHistory } from '../../../queries/cases/history.ts'
import type { RunList } from '../../../queries/runs/run-list.ts'
import { ApiError, api, pathTo, queryOf } from '../../api/api.ts'
import { useCaseOrder, useListedCases } from '../../composables/use-case-order.ts'
import { useRun } from '../../composables/use-run.ts'
import { historyCells, SHOWN_RUNS } from './history/history.ts'
import { readCaseDetail } from './read-case.ts'

type Address = { readonly id: string; readonly case_key: string }

/** A case never changes; its run can only be deleted. */
const KEPT_MS = 5 * 60_000

const caseQuery = ({ id, case_key }: Address) =>
  queryOptions({
    queryKey: ['case', id, case_key],
    queryFn: async ({ signal }): Promise<CaseDetail> =>
      readCaseDetail(await api.text(pathTo('runs', id, 'cases', case_key), signal)),
    staleTime: KEPT_MS,
  })

/** More points than a strip shows, since a run that is open may be an older one. */
const POINTS = 100
const MAX_TRIALS = 200
/** While one walks through cases. */
const SUITE_KEPT_MS = 60_000

/** The cases of one cell, the first trial first. */
const trialsOf = (cases: readonly CaseListItem[], cell: CaseDetail['cell'] | undefined): CaseListItem[] =>
  cases
    .filter(
      ({ provider_id, prompt_id, test_id }) =>
        provider_id === cell?.provider_id && (prompt_id ?? '') === (cell?.prompt_id ?? '') && test_id === cell?.test_id,
    )
    .sort((a, b) => (a.repeat ?? 0) - (b.repeat ?? 0))

/**
 * One case of a run: itself, its trials in the run, its history over the suite's newest runs, and what stands beside
 * it.
 */
export const useCase = (of: MaybeRefOrGetter<Address>) => {
  const client = useQueryClient()
  const { data: found, error, refetch } = useQuery(computed(() => caseQuery(toValue(of))))
  // Of the case before, while the next one is on its way.
  const one = computed(() => (found.value?.case_key === toValue(of).case_key ? found.value : null))

  const { run, error: noRun } = useRun(() => toValue(of).id)

  const { isThere, all } = useListedCases(() => toValue(of).id)
  const cell = computed(() => one.value?.cell)
  const trialsKey = computed(() => [
    'case-trials',
    toValue(of).id,
    cell.value?.provider_id,
    cell.value?.prompt_id,
    cell.value?.test_id,
  ])
  // A list that has every case of the run has these, too. They are kept for when it has fewer.
  const listed = computed(() => (all.value && cell.value ? trialsOf(all.value, cell.value) : null))
  watchEffect(() => {
    if (listed.value) client.setQueryData(trialsKey.value, listed.value)
  })
  const { data: trials } = useQuery(
    computed(() => {
      const [{ id }, asked] = [toValue(of), cell.value]
      return {
        queryKey: trialsKey.value,
        enabled: asked !== undefined && listed.value === null && (isThere.value || noRun.value !== null),
        staleTime: KEPT_MS,
        queryFn: async ({ signal }: { signal: AbortSignal }): Promise<readonly CaseListItem[]> => {
          const query = queryOf({
            provider: asked?.provider_id,
            prompt: asked?.prompt_id,
            test: asked?.test_id,
            limit: MAX_TRIALS,
          })
          const { cases } = await api.get<CaseList>(`${pathTo('runs', id, 'cases')}${query}`, signal)
          // What is empty or absent cannot be asked for.
          return trialsOf(cases, asked)
        },
      }
    }),
  )
  const itself = computed(() => trials.value?.find(({ case_key }) => case_key === toValue(of).case_key) ?? null)

  const order = useCaseOrder(
    () => ({ ...toValue(of), idx: itself.value?.idx ?? null }),
    () => one.value?.status ?? order.row.value?.status ?? null,
  )
  watchEffect(() => {
    // Once this one is drawn, those one step away.
    if (!one.value) return
    for (const beside of [order.next.value, order.previous.value])
      if (beside) void client.prefetchQuery(caseQuery({ id: toValue(of).id, case_key: beside.case_key }))
  })
  const position = computed(() => {
    if (order.position.value) return order.position.value
    if (order.filtered.value || !itself.value) return null
    return { at: itself.value.idx + 1, total: run.value?.case_count ?? null }
  })

  const set = computed(() => {
    const { project, suite } = run.value ?? { project: null, suite: null }
    // A case without a suite has no history.
    return project && suite ? { project, suite } : null
  })
  const { data: told } = useQuery(
    computed(() => {
      const [{ case_key }, asked] = [toValue(of), set.value]
      return {
        queryKey: ['case-history', asked, case_key],
        enabled: asked !== null,
        queryFn: async ({ signal }: { signal: AbortSignal }): Promise<CaseHistory | null> => {
          const path = pathTo(
            'projects',
            asked?.project ?? '',
            'suites',
            asked?.suite ?? '',
            'cases',
            case_key,
            'history',
          )
          return api.get<CaseHistory>(`${path}${queryOf({ limit: POINTS })}`, signal).catch((reason: unknown) => {
            if (reason instanceof ApiError && reason.status === 404) return null
            throw reason
          })
        },
      }
    }),
  )
  // For the gaps: runs that do not hold the case. The same for all cases of a suite, and without a second point there
  // is no strip.
  const { data: suiteRuns } = useQuery(
    computed(() => {
      const asked = set.value
      return {
        queryKey: ['suite-runs', asked],
        enabled: asked !== null && (told.value?.points.length ?? 0) > 1,
        staleTime: SUITE_KEPT_MS,
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          api.get<RunList>(`/runs${queryOf({ ...asked, cached: 'all', limit: SHOWN_RUNS })}`, signal),
      }
    }),
  )
  const history = computed(() => {
    if (!told.value || told.value.points.length < 2 || !suiteRuns.value) return null
    const { points, baseline_run_id } = told.value
    return { cells: historyCells(suiteRuns.value.runs, points, toValue(of).id), baseline_run_id }
  })

  return { one, error, refetch, run, trials, history, order, position }
}
