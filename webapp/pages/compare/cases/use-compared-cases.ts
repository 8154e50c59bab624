import { useQuery } from '@tanstack/vue-query'
import { computed, toValue, type MaybeRefOrGetter } from 'vue'
import type { ComparedCases } from '../../../../queries/statistics/compared-cases.ts'
import type { ChangeFilter } from '../../../../domain/lists/changes.ts'
import { api, pathTo, queryOf } from '../../../api/api.ts'
import { useList } from '../../../api/use-list.ts'
import { comparedKey } from './changes.ts'

/** Rows of one page of the list. */
const PAGE_ROWS = 200
/** Number of rows that are loaded ahead of the last visible row. */
const ROWS_AHEAD = 200

/** `columns`: as parameters of the address, empty for those that are not set. */
export type ComparedPairOf = {
  readonly base: string
  readonly head: string
  readonly columns: { readonly base_column: readonly string[]; readonly head_column: readonly string[] }
}

/**
 * The cases of two runs that match a filter and a `listing` (other filters, and the order), page by page, and the case that the address names (`open`), even if it is
 * on no page that has been loaded.
 */
export const useComparedCases = (
  pair: MaybeRefOrGetter<ComparedPairOf>,
  filter: MaybeRefOrGetter<ChangeFilter>,
  open: MaybeRefOrGetter<string | null>,
  listing: MaybeRefOrGetter<Readonly<Record<string, string | undefined>>> = {},
) => {
  const key = () => ['compare', 'cases', toValue(pair)] as const
  const pathOf = ({ base, head, columns }: ComparedPairOf, query: Parameters<typeof queryOf>[0]): string =>
    pathTo('runs', base, 'compare', head, 'cases') + queryOf({ ...columns, ...query })
  const { reach, ...list } = useList({
    key: () => [...key(), toValue(filter), toValue(listing)] as const,
    path: ([, , asked, only, listed], cursor) => pathOf(asked, { ...listed, filter: only, limit: PAGE_ROWS, cursor }),
    rows: (page: ComparedCases) => page.cases,
    keeps: ([, , earlier], [, , now]) => JSON.stringify(earlier) === JSON.stringify(now),
    // Runs never change, so loaded pages stay correct.
    staleTime: Infinity,
  })
  const isListed = computed(() => list.rows.value.some((item) => comparedKey(item) === toValue(open)))
  const linked = useQuery({
    queryKey: computed(() => [...key(), 'one', toValue(open)]),
    queryFn: ({ signal }) => api.get<ComparedCases>(pathOf(toValue(pair), { limit: 1, case: toValue(open) }), signal),
    enabled: () => toValue(open) !== null && list.isLoaded.value && !list.isOld.value && !isListed.value,
    staleTime: Infinity,
  })
  /** The open case if the list does not contain it; null if there is none; undefined while that is not known. */
  const other = computed(() =>
    toValue(open) === null || isListed.value ? null : linked.data.value ? linked.data.value.linked : undefined,
  )
  return {
    ...list,
    cases: list.rows,
    other,
    counts: computed(() => list.first.value?.counts ?? null),
    joinedBy: computed(() => list.first.value?.joined_by ?? null),
    reach: (row: number) => reach(row, ROWS_AHEAD),
  }
}
