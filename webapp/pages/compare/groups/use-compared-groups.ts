import { useQuery } from '@tanstack/vue-query'
import { computed, toValue, type MaybeRefOrGetter } from 'vue'
import type { ComparedGroups } from '../../../../queries/statistics/compared-groups.ts'
import { api, pathTo, queryOf } from '../../../api/api.ts'
import type { ComparedPairOf } from '../cases/use-compared-cases.ts'

/**
 * The shared cases of two runs by a field, once one is asked for: by that field, but instead of tags that they do not have by the
 * first variable that groups them. `isKnown` says whether the groups are there or cannot be had, or are not asked for; `by` is null
 * if no field groups the cases.
 */
export const useComparedGroups = (pair: MaybeRefOrGetter<ComparedPairOf>, asked: MaybeRefOrGetter<string | null>) => {
  const queryOfField = (by: string | null) => ({
    queryKey: ['compare', 'groups', toValue(pair), by],
    queryFn: ({ signal }: { readonly signal: AbortSignal }) => {
      const { base, head, columns } = toValue(pair)
      return api.get<ComparedGroups>(
        pathTo('runs', base, 'compare', head, 'groups') + queryOf({ ...columns, by }),
        signal,
      )
    },
    // Runs never change.
    staleTime: Infinity,
  })
  const first = useQuery(computed(() => ({ ...queryOfField('tag'), enabled: toValue(asked) !== null })))
  const fields = computed(() => first.data.value?.fields ?? [])
  const by = computed(() => {
    const field = toValue(asked)
    return field !== 'tag' || fields.value.some((each) => each.field === 'tag')
      ? field
      : (fields.value[0]?.field ?? null)
  })
  const chosen = useQuery(computed(() => ({ ...queryOfField(by.value), enabled: by.value !== null })))
  const error = computed(() => first.error.value ?? chosen.error.value)
  return {
    by,
    fields,
    data: chosen.data,
    error,
    isKnown: computed(
      () =>
        toValue(asked) === null ||
        error.value !== null ||
        (!first.isPending.value && (by.value === null || !chosen.isPending.value)),
    ),
    reload: (): void => void Promise.all([first.refetch(), chosen.refetch()]),
  }
}
