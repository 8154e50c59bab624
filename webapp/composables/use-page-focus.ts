import type { RouteLocationNormalized } from 'vue-router'

let pending = false

/** The parameters of an address that name what a page is about. */
const NAMES = ['id', 'project', 'suite'] as const

/** Identifies a page. Tabs of a run and drawers over it belong to the same page. */
const pageIdentity = ({ matched, params }: RouteLocationNormalized): string =>
  JSON.stringify([matched[0]?.path, ...NAMES.map((name) => params[name])])

export const isSamePage = (to: RouteLocationNormalized, from: RouteLocationNormalized): boolean =>
  pageIdentity(to) === pageIdentity(from)

/**
 * Called by the router after navigation. The heading of a page that was opened by a link receives the focus. The first
 * page leaves the focus where the browser put it.
 */
export const pageChanged = (to: RouteLocationNormalized, from: RouteLocationNormalized): void => {
  if (from.matched.length > 0 && !isSamePage(to, from)) pending = true
}

/** Focuses a heading, once for each page that was opened. */
export const takePageFocus = (heading: HTMLElement | null): void => {
  if (!pending || !heading) return
  pending = false
  heading.focus({ preventScroll: true })
}
