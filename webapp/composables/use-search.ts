import { keepPreviousData, useQuery } from '@tanstack/vue-query'
import { computed, ref, toValue, watch, type MaybeRefOrGetter } from 'vue'
import type { SearchHits } from '../../queries/search/search.ts'
import { api, queryOf } from '../api/api.ts'

/** Delay from a keystroke to the request. */
const DELAY_MS = 200
const MAX_HITS = 6

/** Runs and cases that contain the words of `text`. Requested after a pause in typing; aborts an older request. */
export const useSearch = (text: MaybeRefOrGetter<string>) => {
  const searched = ref('')
  watch(
    () => toValue(text).trim(),
    (q, _before, onCleanup) => {
      if (q === '') return void (searched.value = '')
      const timer = setTimeout(() => (searched.value = q), DELAY_MS)
      onCleanup(() => clearTimeout(timer))
    },
  )
  const { data, error, isFetching } = useQuery({
    queryKey: ['search', searched],
    queryFn: ({ signal }) => api.get<SearchHits>(`/search${queryOf({ q: searched.value, limit: MAX_HITS })}`, signal),
    enabled: () => searched.value !== '',
    placeholderData: keepPreviousData,
  })
  const hits = computed(() => (searched.value === '' ? null : (data.value ?? null)))
  return { hits, error, isFetching, searched }
}
