import { useQuery } from '@tanstack/vue-query'
import { computed } from 'vue'
import type { RubricList } from '../../../queries/reviews/rubrics.ts'
import type { SuiteJudges } from '../../../queries/reviews/judges.ts'
import type { ReviewQueue } from '../../../queries/reviews/queues.ts'
import type { RunList } from '../../../queries/runs/run-list.ts'
import { api, pathTo, queryOf } from '../../api/api.ts'

type Suite = { readonly project: string; readonly suite: string }

/** What a dry run says of a queue. */
export type Preview = {
  readonly items: number
  readonly groups: Readonly<Record<'passed' | 'failed', { readonly cases: number; readonly taken: number }>>
  readonly half_width: number | null
}

const NEWEST_RUNS = 100

/** The rubrics, runs and judged metrics of a suite, from which a queue is opened; nothing is asked for before a suite is chosen. */
export const useQueueChoices = (suite: () => Suite, isChosen: () => boolean) => {
  const choice = <T>(name: string, path: () => string) =>
    useQuery({
      queryKey: computed(() => ['new-queue', name, suite()]),
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => api.get<T>(path(), signal),
      enabled: isChosen,
    })
  const rubrics = choice<RubricList>('rubrics', () => `/rubrics${queryOf({ ...suite(), limit: 200 })}`)
  const runs = choice<RunList>('runs', () => `/runs${queryOf({ ...suite(), limit: NEWEST_RUNS })}`)
  const judges = choice<SuiteJudges>('judges', () =>
    pathTo('projects', suite().project, 'suites', suite().suite, 'judges'),
  )
  const all = [rubrics, runs, judges]
  return {
    rubrics: computed(() => rubrics.data.value?.rubrics.filter(({ retired_at }) => retired_at === null) ?? []),
    runs: computed(() => runs.data.value?.runs ?? []),
    metrics: computed(() => [
      ...new Set(judges.data.value?.metrics.flatMap(({ metric, is_judge }) => (is_judge ? [metric] : [])) ?? []),
    ]),
    isLoaded: computed(() => all.every(({ data }) => data.value !== undefined)),
    error: computed(() => all.find(({ error }) => error.value !== null)?.error.value ?? null),
    reload: () => all.forEach(({ refetch }) => void refetch()),
  }
}

/** Counts what a queue would take, and opens nothing. */
export const previewQueue = (body: object): Promise<Preview> =>
  api.post<Preview>('/review-queues', { ...body, dry_run: true })

/** Opens a queue, and returns it. */
export const openQueue = (body: object): Promise<ReviewQueue> => api.post<ReviewQueue>('/review-queues', body)
