import { keepPreviousData, useQuery } from '@tanstack/vue-query'
import { computed, ref, toValue, watch } from 'vue'
import type { MaybeRefOrGetter } from 'vue'
import type { SearchHits } from '../../queries/search/search.ts'
import { api, queryOf } from '../api/api.ts'

/** From a keystroke to the request. */
const PAUSE_MS = 200
const MAX_HITS = 6

/** Runs and cases that hold the words of `text`; asked for after a pause in typing, an older question is aborted. */
export const useSearch = (text: MaybeRefOrGetter<string>) => {
  const asked = ref('')
  watch(
    () => toValue(text).trim(),
    (q, _before, onCleanup) => {
      if (q === '') return void (asked.value = '')
      const timer = setTimeout(() => (asked.value = q), PAUSE_MS)
      onCleanup(() => clearTimeout(timer))
    },
  )
  const { data, error, isFetching } = useQuery({
    queryKey: ['search', asked],
    queryFn: ({ signal }) => api.get<SearchHits>(`/search${queryOf({ q: asked.value, limit: MAX_HITS })}`, signal),
    enabled: () => asked.value !== '',
    placeholderData: keepPreviousData,
  })
  const hits = computed(() => (asked.value === '' ? null : (data.value ?? null)))
  return { hits, error, isFetching, asked }
}
