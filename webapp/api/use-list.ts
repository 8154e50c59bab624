import { keepPreviousData, useInfiniteQuery, type InfiniteData, type QueryMeta } from '@tanstack/vue-query'
import { computed, watchEffect, type MaybeRef, type MaybeRefOrGetter, type Ref } from 'vue'
import { api } from './api.ts'

type Page = { readonly next_cursor?: string | null }
type Key = readonly unknown[]

/**
 * A list of the server. `path` is the path of a page, from the key of the list: the key may have changed since. `rows` are
 * the rows of a page. `keeps` says for which earlier key the rows stay while those of a new key are loading; for any, by
 * default. The others are options of vue-query.
 */
type ListOptions<P extends Page, Row, K extends Key> = {
  readonly key: () => K
  readonly path: (key: K, cursor: string | null) => string
  readonly rows: (page: P) => readonly Row[]
  readonly keeps?: (earlier: K, now: K) => boolean
  readonly enabled?: MaybeRefOrGetter<boolean>
  readonly meta?: MaybeRef<QueryMeta>
  readonly staleTime?: number
  readonly refetchOnWindowFocus?: boolean
  readonly refetchOnReconnect?: boolean
  /** The time to the next request of the whole list, from its first page. */
  readonly again?: (first: P | undefined) => number | false
  /** Called with the first page when it arrives. */
  readonly arrived?: (key: K, first: P) => void
}

/** The parts of an infinite query that a list is made of. */
type Pages<P> = {
  readonly data: Readonly<Ref<{ readonly pages: readonly P[] } | undefined>>
  readonly error: Readonly<Ref<Error | null>>
  readonly hasNextPage: Readonly<Ref<boolean>>
  readonly isFetching: Readonly<Ref<boolean>>
  readonly isFetchingNextPage: Readonly<Ref<boolean>>
  readonly isFetchNextPageError: Readonly<Ref<boolean>>
  readonly isPlaceholderData: Readonly<Ref<boolean>>
  readonly fetchNextPage: (options?: { readonly cancelRefetch: boolean }) => Promise<unknown>
  readonly refetch: () => Promise<unknown>
}

/**
 * A list from the pages that are loaded. After a page could not be loaded, only `loadMore` requests it again, which is for
 * the user to call: what loads by itself would never stop asking a server that fails.
 */
export const loadedList = <P, Row>(list: Pages<P>, rowsOf: (page: P) => readonly Row[]) => {
  const { data, error, hasNextPage, isFetching, isFetchingNextPage, isFetchNextPageError, isPlaceholderData } = list
  const rows = computed(() => data.value?.pages.flatMap(rowsOf) ?? [])
  const mayLoad = (): boolean =>
    hasNextPage.value && !isFetching.value && !isFetchNextPageError.value && !isPlaceholderData.value
  return {
    rows,
    /** The first page, which has what is the same on all pages. */
    first: computed(() => data.value?.pages[0]),
    /** Why there is no list. */
    error: computed(() => (data.value === undefined ? error.value : null)),
    /** Why the next page could not be loaded. */
    moreError: computed(() => (isFetchNextPageError.value ? error.value : null)),
    isLoaded: computed(() => data.value !== undefined),
    isBusy: computed(() => isFetching.value && !isFetchingNextPage.value),
    /** Whether the rows are still those of the key before. */
    isOld: isPlaceholderData,
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    loadMore: async (): Promise<void> => {
      if (hasNextPage.value && !isFetchingNextPage.value && !isPlaceholderData.value) await list.fetchNextPage()
    },
    /** Loads the next page if fewer than `ahead` rows follow a row that is in view. */
    reach: (row: number, ahead: number): void => {
      if (row + ahead > rows.value.length && mayLoad()) void list.fetchNextPage({ cancelRefetch: false })
    },
    /** Loads page after page while they are wanted. */
    loadWhile: (isWanted: () => boolean): void =>
      void watchEffect(() => {
        if (data.value && isWanted() && mayLoad()) void list.fetchNextPage({ cancelRefetch: false })
      }),
    reload: (): void => void list.refetch(),
  }
}
export type List<P = unknown, Row = unknown> = ReturnType<typeof loadedList<P, Row>>

/** A list that the server returns page by page. */
export const useList = <P extends Page, Row, const K extends Key>({
  key,
  path,
  rows,
  keeps = () => true,
  again = () => false,
  arrived,
  ...options
}: ListOptions<P, Row, K>): List<P, Row> =>
  loadedList<P, Row>(
    useInfiniteQuery<P, Error, InfiniteData<P, string | null>, Key, string | null>({
      ...options,
      queryKey: computed((): Key => key()),
      queryFn: async ({ queryKey, pageParam, signal }) => {
        const page = await api.get<P>(path(queryKey as K, pageParam), signal)
        if (pageParam === null) arrived?.(queryKey as K, page)
        return page
      },
      initialPageParam: null,
      getNextPageParam: ({ next_cursor }) => next_cursor,
      placeholderData: (previous, query) =>
        query && keeps(query.queryKey as K, key()) ? keepPreviousData(previous) : undefined,
      refetchInterval: ({ state }) => again(state.data?.pages[0]),
    }),
    rows,
  )
