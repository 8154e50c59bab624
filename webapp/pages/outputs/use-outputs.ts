import { useQuery } from '@tanstack/vue-query'
import { computed, toValue, watchEffect, type MaybeRefOrGetter } from 'vue'
import type { ManyRuns } from '../../../queries/statistics/many-runs.ts'
import type { TestOutputs } from '../../../queries/statistics/outputs.ts'
import { api, pathTo, queryOf } from '../../api/api.ts'
import { runsText } from '../../runs/compared-runs.ts'
import { useMatrix } from '../run/matrix/use-matrix.ts'
import type { Listed } from '../run/matrix/heat.ts'

/** One test of one run, or of several. */
export type Asked = {
  readonly test_id: string
  readonly runs: readonly string[]
  /** Of one run, the case key of a column; of several, the id of a run. */
  readonly against: string | undefined
  /** The order of the tests of one run: that of its matrix. */
  readonly listed: Listed
}

/** Rows of a comparison among which the next test is looked for. */
const MAX_ROWS = 200

/** What each column answered to a test, and the tests before and after it. */
export const useOutputs = (asked: MaybeRefOrGetter<Asked>, isOneRun: boolean) => {
  const { data, error, refetch } = useQuery(
    computed(() => {
      const { test_id, runs, against } = toValue(asked)
      const [id = ''] = runs
      return {
        queryKey: ['outputs', runs, test_id, against],
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          api.get<TestOutputs>(
            isOneRun
              ? `${pathTo('runs', id, 'tests', test_id)}${queryOf({ against })}`
              : `/compare/outputs${queryOf({ runs: runsText(runs), test: test_id, against })}`,
            signal,
          ),
        staleTime: 60_000,
      }
    }),
  )
  // The order of the tests: of one run as in its matrix, of several as in their comparison.
  const matrix = isOneRun
    ? useMatrix(
        () => toValue(asked).runs[0] ?? '',
        () => toValue(asked).listed,
      )
    : null
  const { data: compared } = useQuery(
    computed(() => ({
      queryKey: ['outputs-order', toValue(asked).runs],
      enabled: !isOneRun,
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        api.get<ManyRuns>(
          `/compare${queryOf({ runs: runsText(toValue(asked).runs), filter: 'all', limit: MAX_ROWS })}`,
          signal,
        ),
      staleTime: 60_000,
    })),
  )
  const tests = computed<readonly string[]>(() =>
    matrix
      ? matrix.rows.value.map(({ test_id }) => test_id)
      : [...new Set(compared.value?.rows.flatMap(({ test_id }) => test_id ?? []))],
  )
  // Fetches rows until the test is among them.
  watchEffect(() => {
    if (matrix && !tests.value.includes(toValue(asked).test_id)) matrix.reach(tests.value.length)
  })
  const neighbour = (step: 1 | -1): string | null => {
    const index = tests.value.indexOf(toValue(asked).test_id)
    return index === -1 ? null : (tests.value[index + step] ?? null)
  }
  const outputs = computed(() => (data.value?.test_id === toValue(asked).test_id ? data.value : null))
  return {
    outputs,
    error,
    reload: () => void refetch(),
    previous: computed(() => neighbour(-1)),
    next: computed(() => neighbour(1)),
  }
}
