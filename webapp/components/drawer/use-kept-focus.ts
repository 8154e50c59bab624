import { useEventListener } from '@vueuse/core'

/**
 * Keeps the focus within a drawer while it covers the page: what is behind it cannot be used. A dialog or a menu over the drawer
 * keeps its own focus.
 */
export const useKeptFocus = (drawer: () => HTMLElement | null, covers: () => boolean): void => {
  let last: HTMLElement | null = null
  useEventListener(document, 'focusin', ({ target }) => {
    const root = drawer()
    if (!covers() || !root || !(target instanceof HTMLElement)) return
    if (root.contains(target)) last = target
    else if (target.closest('[data-dismissable-layer]') === null)
      (last?.isConnected === true ? last : root).focus({ preventScroll: true })
  })
}
