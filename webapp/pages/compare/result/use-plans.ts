import { useQuery } from '@tanstack/vue-query'
import { computed, toValue, type MaybeRefOrGetter } from 'vue'
import type { RunDetail } from '../../../../queries/runs/run-detail.ts'
import { api, pathTo } from '../../../api/api.ts'

type Side = { readonly id: string; readonly plan_id: string | null }
type Sides = { readonly base: Side; readonly head: Side }

/**
 * The plans that two runs follow, read only if a run follows one. `isKnown` is also true if they could not be read: a
 * comparison is shown without them then.
 */
export const usePlans = (sides: MaybeRefOrGetter<Sides | undefined>) => {
  const planOf = (name: keyof Sides) => {
    const side = computed(() => toValue(sides)?.[name])
    const follows = computed(() => (side.value?.plan_id ?? null) !== null)
    const id = computed(() => side.value?.id ?? '')
    const { data, isPending } = useQuery({
      queryKey: ['run', id, 'plan'],
      queryFn: async ({ signal }) => (await api.get<RunDetail>(pathTo('runs', id.value), signal)).plan ?? null,
      enabled: follows,
      meta: computed(() => ({ live: { run: id.value } })),
    })
    return {
      plan: computed(() => (follows.value ? (data.value ?? null) : null)),
      isKnown: computed(() => !follows.value || !isPending.value),
    }
  }
  const [base, head] = [planOf('base'), planOf('head')]
  return {
    plans: computed(() => ({ base: base.plan.value, head: head.plan.value })),
    isKnown: computed(() => base.isKnown.value && head.isKnown.value),
  }
}
