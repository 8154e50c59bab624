import { watchEffect } from 'vue'
import type { Ref } from 'vue'

/** The parts of an infinite query that say whether a page is missing, and load it. */
type Pages = {
  readonly hasNextPage: Readonly<Ref<boolean>>
  readonly isFetching: Readonly<Ref<boolean>>
  readonly isFetchNextPageError: Readonly<Ref<boolean>>
  readonly isPlaceholderData: Readonly<Ref<boolean>>
}

/**
 * Whether the next page of a list may be requested without being asked: there is one, nothing is being loaded, and the
 * last request for it did not fail. Otherwise a page that requests whatever is missing would never stop requesting it from
 * a server that fails.
 */
export const mayLoadMore = ({ hasNextPage, isFetching, isFetchNextPageError, isPlaceholderData }: Pages): boolean =>
  hasNextPage.value && !isFetching.value && !isFetchNextPageError.value && !isPlaceholderData.value

/** Loads page after page until the last one, or until one fails. Then `fetchNextPage` goes on. */
export const useAllPages = (
  list: Pages & { readonly fetchNextPage: () => Promise<unknown> },
  isWanted: () => boolean = () => true,
): void => void watchEffect(() => void (isWanted() && mayLoadMore(list) && list.fetchNextPage()))
