import { useQuery } from '@tanstack/vue-query'
import { computed, toValue, type MaybeRefOrGetter } from 'vue'
import type { CacheEntry } from '../../../queries/cache/item.ts'
import type { CacheRuns } from '../../../queries/cache/runs.ts'
import { api, ApiError, pathTo, queryOf } from '../../api/api.ts'
import { useList } from '../../api/use-list.ts'
import { mayLoseDigits, parseShown } from '../../text/exact-json.ts'
import { useTier } from './use-cache.ts'

/** Cases on a page of the list of uses. */
const USES = 20

/**
 * Parses the response with an entry. Numbers in free-form values keep all their digits; numbers in the service's own
 * fields are plain numbers. Throws: SyntaxError.
 */
export const readEntry = (text: string): CacheEntry => {
  const plain = JSON.parse(text) as CacheEntry
  if (!mayLoseDigits.test(text)) return plain
  const { request, provider_fingerprint, output, tool_calls, raw } = parseShown(text) as CacheEntry
  return { ...plain, request, provider_fingerprint, output, tool_calls, raw }
}

/** An entry, and the cases that used it. An entry never changes; it can only be removed. */
export const useEntry = (key: MaybeRefOrGetter<string>) => {
  const tier = useTier()
  const source = computed(() => (tier.value === 'local' ? 'local' : undefined))
  const entry = useQuery({
    queryKey: computed(() => ['cache', 'entry', toValue(key), source.value] as const),
    queryFn: async ({ queryKey: [, , name, from], signal }) =>
      readEntry(await api.text(`${pathTo('cache', 'entries', name)}${queryOf({ tier: from })}`, signal)),
  })
  const uses = useList({
    key: () => ['cache', 'uses', toValue(key)],
    path: ([, , name], cursor) => `${pathTo('cache', 'entries', name, 'runs')}${queryOf({ limit: USES, cursor })}`,
    rows: (page: CacheRuns) => page.cases,
    keeps: () => false,
    meta: { live: {} },
  })
  // Not every text is a key: the server refuses others, and there is no such entry either.
  const isMissing = computed(
    () => entry.error.value instanceof ApiError && [400, 404].includes(entry.error.value.status),
  )
  return { tier, source, entry, uses, isMissing }
}

/** What the provider sent, which is requested only when it is shown. */
export const useRaw = (key: MaybeRefOrGetter<string>, isShown: MaybeRefOrGetter<boolean>) => {
  const tier = useTier()
  return useQuery({
    queryKey: computed(() => ['cache', 'raw', toValue(key), tier.value] as const),
    queryFn: async ({ queryKey: [, , name, from], signal }) => {
      const query = queryOf({ raw: true, tier: from === 'local' ? from : undefined })
      return readEntry(await api.text(`${pathTo('cache', 'entries', name)}${query}`, signal)).raw
    },
    enabled: () => toValue(isShown),
  })
}
