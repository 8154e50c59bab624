import { useQuery } from '@tanstack/vue-query'
import { computed, toValue } from 'vue'
import type { MaybeRefOrGetter } from 'vue'
import type { RunDetail } from '../../../../queries/runs/run-detail.ts'
import { api, pathTo } from '../../../api/api.ts'

type Pair = { readonly base: string; readonly head: string }

/**
 * The plans that two runs follow. `isKnown` is also true if they could not be read: a comparison is shown without them
 * then, and its own request reports what is wrong.
 */
export const usePlans = (pair: MaybeRefOrGetter<Pair>) => {
  const planOf = (side: keyof Pair) =>
    useQuery({
      queryKey: ['run', computed(() => toValue(pair)[side]), 'plan'],
      queryFn: async ({ signal }) =>
        (await api.get<RunDetail>(pathTo('runs', toValue(pair)[side]), signal)).plan ?? null,
      meta: computed(() => ({ live: { run: toValue(pair)[side] } })),
    })
  const [base, head] = [planOf('base'), planOf('head')]
  return {
    plans: computed(() => ({ base: base.data.value ?? null, head: head.data.value ?? null })),
    isKnown: computed(() => [base, head].every(({ isPending }) => !isPending.value)),
  }
}
