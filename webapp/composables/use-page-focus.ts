import type { RouteLocationNormalized } from 'vue-router'

let pending = false

/** What is one page: tabs of a run and drawers over it are not pages of their own. */
const pageOf = ({ matched, params }: RouteLocationNormalized): string =>
  `${matched[0]?.path ?? ''} ${String(params['id'] ?? '')}`

/**
 * Told by the router: the heading of a page that was opened by a link takes the focus, as a new page would. The first
 * page of all leaves it where the browser put it.
 */
export const pageChanged = (to: RouteLocationNormalized, from: RouteLocationNormalized): void => {
  if (from.matched.length > 0 && pageOf(to) !== pageOf(from)) pending = true
}

/** Gives the focus to a heading, once for each page that was opened. */
export const takePageFocus = (heading: HTMLElement | null): void => {
  if (!pending || !heading) return
  pending = false
  heading.focus({ preventScroll: true })
}
