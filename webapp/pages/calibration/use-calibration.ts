import { useQuery } from '@tanstack/vue-query'
import { computed } from 'vue'
import type { RunCalibration } from '../../../queries/reviews/calibration.ts'
import type { SuiteJudges } from '../../../queries/reviews/judges.ts'
import { api, ApiError, pathTo, queryOf } from '../../api/api.ts'

type Suite = { readonly project: string; readonly suite: string }
export type SuiteJudge = SuiteJudges['metrics'][number]['judges'][number]

/** The judges of a suite by metric. */
export const useJudges = (suite: () => Suite) => {
  const { data, error, refetch } = useQuery({
    queryKey: computed(() => ['judges', suite().project, suite().suite]),
    meta: computed(() => ({ live: { project: suite().project, suite: suite().suite, reviews: 'too' as const } })),
    queryFn: ({ signal }) =>
      api.get<SuiteJudges>(pathTo('projects', suite().project, 'suites', suite().suite, 'judges'), signal),
    retry: (failures, cause) => !(cause instanceof ApiError && cause.status === 404) && failures < 3,
  })
  return {
    judges: data,
    error,
    missing: computed(() => error.value instanceof ApiError && error.value.status === 404),
    reload: () => void refetch(),
  }
}

/** The newest run that a metric was judged in; of all metrics if it is null. Null without any. */
export const newestJudged = ({ metrics }: SuiteJudges, metric: string | null): string | null =>
  metrics
    .filter((each) => each.is_judge && (metric === null || each.metric === metric))
    .flatMap(({ judges }) => judges.map(({ last_run }) => last_run))
    .toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1))[0]?.id ?? null

/** What people say of the judge of a run. `metric`: null for whole cases. Nothing is requested until the run is known. */
export const useCalibration = (run: () => string | null, metric: () => string | null) => {
  const { data, error, refetch } = useQuery({
    queryKey: computed(() => ['run', run(), 'calibration', metric()]),
    // Labels of like runs count too.
    meta: computed(() => ({ live: { run: run() ?? '', baselines: false, reviews: 'too' as const } })),
    queryFn: ({ signal }) => {
      const of = metric() === null ? { target: 'case' } : { target: 'metric', metric: metric() }
      return api.get<RunCalibration>(`${pathTo('runs', run() ?? '', 'calibration')}${queryOf(of)}`, signal)
    },
    enabled: () => run() !== null,
    staleTime: 60_000,
    retry: (failures, cause) => !(cause instanceof ApiError && cause.status < 500) && failures < 3,
  })
  return {
    calibration: data,
    error,
    missing: computed(() => error.value instanceof ApiError && error.value.status === 404),
    reload: () => void refetch(),
  }
}
