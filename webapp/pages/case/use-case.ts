import { queryOptions, useQuery, useQueryClient, type QueryClient } from '@tanstack/vue-query'
import { computed, ref, toValue, watch, watchEffect, type MaybeRefOrGetter, type Ref } from 'vue'
import type { CaseDetail, CaseList, CaseListItem } from '../../../queries/cases/cases.ts'
import type { CaseInSuite } from '../../../queries/cases/case-in-suite.ts'
import type { CaseHistory } from '../../../queries/cases/history.ts'
import type { CommentList } from '../../../queries/runs/comments.ts'
import type { RunList } from '../../../queries/runs/run-list.ts'
import { ApiError, api, pathTo, queryOf } from '../../api/api.ts'
import { useCaseOrder, useListedCases } from '../../composables/use-case-order.ts'
import { loadPart } from '../../composables/lazy/use-part.ts'
import { useRendered } from '../../composables/use-rendered.ts'
import { hasMarkdown } from '../../text/markdown/has-markdown.ts'
import { markdownView } from '../../text/markdown/markdown-view.ts'
import { mediaView } from '../../text/markdown/media-view.ts'
import { useRun } from '../../composables/use-run.ts'
import { historyCells, SHOWN_RUNS } from './history/history.ts'
import { loadExpectedCalls } from './calls/load-expected-calls.ts'
import { CASE_STALE_MS, caseQuery, type CaseAddress } from './case-query.ts'
import { caseParts } from './parts.ts'
import { promptTurns } from './conversation/turns.ts'
import { readCaseDetail } from './read-case.ts'

/** The number of comments on a case. */
const commentsQuery = ({ id, case_key }: CaseAddress) =>
  queryOptions({
    // What changes the comments on a run changes this too.
    queryKey: ['comments', id, case_key, 'count'],
    queryFn: async ({ signal }): Promise<number> => {
      const path = `${pathTo('runs', id, 'comments')}${queryOf({ case: case_key, limit: 1 })}`
      return (await api.get<CommentList>(path, signal)).total
    },
    staleTime: Infinity,
    meta: { live: { run: id } },
  })

/**
 * One case in full, like `caseQuery`. Its response also has the number of its comments, the cases of its test, its history and the runs of its suite,
 * which the other queries of `useCase` then find in the cache.
 */
const openedCaseQuery = (client: QueryClient, { id, case_key }: CaseAddress) =>
  queryOptions({
    ...caseQuery({ id, case_key }),
    queryFn: async ({ signal }): Promise<CaseDetail> => {
      const text = await api.text(pathTo('runs', id, 'cases', case_key, 'in-suite'), signal)
      const { test, history, runs, comments } = JSON.parse(text) as CaseInSuite
      const detail = readCaseDetail(text, 'case')
      client.setQueryData(commentsQuery({ id, case_key }).queryKey, comments)
      client.setQueryData(['test-cases', id, detail.cell.test_id], siblingsOf(test.cases, detail.cell.test_id))
      if (history) {
        const { project, suite } = history
        client.setQueryData(['case-history', { project, suite }, case_key], history)
        if (runs) client.setQueryData(['suite-runs', { project, suite }], runs)
      }
      return detail
    },
  })

/** More points than a strip shows, because the open run may be an older one. */
const MAX_POINTS = 100
const MAX_SIBLINGS = 200
/** How long the suite's runs stay fresh in the cache, while the user goes from case to case. */
const SUITE_STALE_MS = 60_000

/** The cases of a test, in the order of the document. */
const siblingsOf = (cases: readonly CaseListItem[], test_id: string | undefined): CaseListItem[] =>
  cases.filter((each) => each.test_id === test_id).toSorted((a, b) => a.idx - b.idx)

/** The cases of a cell, in the order of their trials. */
const trialsOf = (cases: readonly CaseListItem[], cell: CaseDetail['cell'] | undefined): CaseListItem[] =>
  cases
    .filter(
      ({ provider_id, prompt_id, test_id }) =>
        provider_id === cell?.provider_id && (prompt_id ?? '') === (cell?.prompt_id ?? '') && test_id === cell?.test_id,
    )
    .toSorted((a, b) => (a.repeat ?? 0) - (b.repeat ?? 0))

/** Whether the scripts for a case have loaded, or cannot be loaded. */
const useScripts = (detail: MaybeRefOrGetter<CaseDetail | null>) => {
  const { isRendered } = useRendered()
  const needsCalls = () => toValue(detail)?.asserts.some(({ kind }) => kind === 'tool-call') === true
  const needsMarkdown = (): boolean => {
    const { output, prompt, asserts = [] } = toValue(detail) ?? {}
    return (
      (isRendered('prompt') &&
        promptTurns(prompt).some(({ blocks }) => blocks.some(({ text }) => hasMarkdown(text)))) ||
      (typeof output === 'string' && isRendered('output') && hasMarkdown(output)) ||
      (isRendered('reason') && asserts.some(({ reason }) => hasMarkdown(reason)))
    )
  }
  const needsPictures = (): boolean => {
    const { output, asserts = [] } = toValue(detail) ?? {}
    const hasOne = (text: unknown): boolean => typeof text === 'string' && text.includes('![')
    return [output, ...asserts.map(({ reason }) => reason)].some(hasOne) && needsMarkdown()
  }
  const loaded = [
    useLoaded(needsCalls, loadExpectedCalls),
    useLoaded(needsMarkdown, markdownView),
    useLoaded(needsPictures, mediaView),
    useLoaded(() => true, caseParts.input),
  ]
  return computed(() => loaded.every(({ value }) => value))
}

/** Whether a script has loaded that is needed, or cannot be loaded. */
const useLoaded = (isNeeded: () => boolean, load: Parameters<typeof loadPart>[0]): Readonly<Ref<boolean>> => {
  const isLoaded = ref(true)
  watch(
    isNeeded,
    async (needed) => {
      if (!needed) return
      isLoaded.value = false
      await loadPart(load).catch(() => undefined)
      isLoaded.value = true
    },
    { immediate: true, flush: 'sync' },
  )
  return isLoaded
}

type RunSet = { readonly project: string; readonly suite: string }
/** The history of a case over the newest runs of its suite; null while it is unknown, or if it has fewer than two points. */
const useHistory = (address: () => CaseAddress, set: Ref<RunSet | null>, isLoaded: () => boolean) => {
  const { data: historyData } = useQuery(
    computed(() => {
      const [{ case_key }, runSet] = [address(), set.value]
      return {
        queryKey: ['case-history', runSet, case_key],
        meta: { live: { ...runSet } },
        staleTime: SUITE_STALE_MS,
        // The response with the case may contain its history.
        enabled: runSet !== null && isLoaded(),
        queryFn: async ({ signal }: { signal: AbortSignal }): Promise<CaseHistory | null> => {
          const { project = '', suite = '' } = runSet ?? {}
          const path = pathTo('projects', project, 'suites', suite, 'cases', case_key, 'history')
          return api.get<CaseHistory>(`${path}${queryOf({ limit: MAX_POINTS })}`, signal).catch((reason: unknown) => {
            if (reason instanceof ApiError && reason.status === 404) return null
            throw reason
          })
        },
      }
    }),
  )
  // Loads the suite's runs to show the gaps: runs that do not contain the case. The query is the same for all cases of
  // a suite. With fewer than two points there is no strip.
  const { data: suiteRuns } = useQuery(
    computed(() => {
      const runSet = set.value
      return {
        queryKey: ['suite-runs', runSet],
        meta: { live: { ...runSet, baselines: false } },
        enabled: runSet !== null && (historyData.value?.points.length ?? 0) > 1,
        staleTime: SUITE_STALE_MS,
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          api.get<RunList>(`/runs${queryOf({ ...runSet, cached: 'all', limit: SHOWN_RUNS })}`, signal),
      }
    }),
  )
  return computed(() => {
    if (!historyData.value || historyData.value.points.length < 2 || !suiteRuns.value) return null
    const { points, baseline_run_id } = historyData.value
    return { cells: historyCells(suiteRuns.value.runs, points, address().id), baseline_run_id }
  })
}

/**
 * One case of a run: its detail, its trials and the other cases of its test, its history over the suite's newest runs,
 * and the cases before and after it.
 */
export const useCase = (address: MaybeRefOrGetter<CaseAddress>) => {
  const client = useQueryClient()
  const { data: found, error, refetch } = useQuery(computed(() => openedCaseQuery(client, toValue(address))))
  // While the next case loads, `found` is still the previous one.
  const detail = computed(() => (found.value?.case_key === toValue(address).case_key ? found.value : null))

  const { data: comments } = useQuery(
    computed(() => ({ ...commentsQuery(toValue(address)), enabled: detail.value !== null })),
  )

  const { run, error: runError } = useRun(() => toValue(address).id)

  const { isLoaded, all } = useListedCases(() => toValue(address).id)
  const cell = computed(() => detail.value?.cell)
  const siblingsKey = computed(() => ['test-cases', toValue(address).id, cell.value?.test_id])
  // A list with every case of the run also contains those of the test. They are cached, because the list may later have
  // fewer cases.
  const listed = computed(() => (all.value && cell.value ? siblingsOf(all.value, cell.value.test_id) : null))
  watchEffect(() => {
    if (listed.value) client.setQueryData(siblingsKey.value, listed.value)
  })
  const { data: siblings, error: siblingsError } = useQuery(
    computed(() => {
      const [{ id }, requestedCell] = [toValue(address), cell.value]
      return {
        queryKey: siblingsKey.value,
        // The list of a short run has them all, so this waits for the list.
        enabled: requestedCell !== undefined && listed.value === null && (isLoaded.value || runError.value !== null),
        staleTime: CASE_STALE_MS,
        queryFn: async ({ signal }: { signal: AbortSignal }): Promise<readonly CaseListItem[]> => {
          const query = queryOf({ test: requestedCell?.test_id, limit: MAX_SIBLINGS })
          const { cases } = await api.get<CaseList>(`${pathTo('runs', id, 'cases')}${query}`, signal)
          // The query cannot ask for a test id that is empty, so the response is filtered here.
          return siblingsOf(cases, requestedCell?.test_id)
        },
      }
    }),
  )
  const trials = computed(() => (siblings.value ? trialsOf(siblings.value, cell.value) : null))
  const hasScripts = useScripts(detail)
  /** Whether everything is loaded that moves the parts of the page below it. */
  const isSettled = computed(() => (siblings.value !== undefined || siblingsError.value !== null) && hasScripts.value)
  const listItem = computed(() => trials.value?.find(({ case_key }) => case_key === toValue(address).case_key) ?? null)

  const order = useCaseOrder(
    // While the list loads, it is not known whether the server must be asked.
    () => ({ ...toValue(address), idx: (isLoaded.value ? listItem.value?.idx : null) ?? null }),
    () => detail.value?.status ?? order.row.value?.status ?? null,
    () => listItem.value?.idx ?? null,
  )
  /** Whether the user goes from case to case, or is about to. */
  const isBrowsing = ref(false)
  watch(
    () => toValue(address).case_key,
    () => (isBrowsing.value = true),
  )
  watchEffect(() => {
    // Once this case is drawn, prefetches the cases before and after it.
    if (!detail.value || !isBrowsing.value) return
    for (const { case_key } of [order.next.value, order.previous.value].filter((neighbour) => neighbour !== null))
      void client.prefetchQuery(openedCaseQuery(client, { id: toValue(address).id, case_key }))
  })
  const position = computed(() => {
    if (order.position.value) return order.position.value
    if (order.filtered.value || !listItem.value) return null
    return { number: listItem.value.idx + 1, total: run.value?.case_count ?? null }
  })

  const set = computed(() => {
    const { project, suite } = run.value ?? { project: null, suite: null }
    // A case without a suite has no history.
    return project && suite ? { project, suite } : null
  })
  const history = useHistory(
    () => toValue(address),
    set,
    () => detail.value !== null,
  )

  const prefetch = (): void => void (isBrowsing.value = true)
  return {
    detail,
    error,
    refetch,
    run,
    comments,
    trials,
    siblings,
    isSettled,
    history,
    order,
    position,
    prefetch,
  }
}
