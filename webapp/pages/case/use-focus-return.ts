import { nextTick, onBeforeUnmount } from 'vue'

/** Where the focus is when it is nowhere: a click on what cannot have it gives it to the page's content as a whole. */
const isNowhere = (element: Element | null): boolean =>
  element === null || element === document.body || element.matches('main')

/**
 * Gives the focus back when a drawer goes: to the row of the list that `focusRow` finds, else to what had it before,
 * else to the page's heading. Whoever has moved the focus elsewhere by then keeps it.
 */
export const useFocusReturn = (drawer: () => HTMLElement | null, focusRow: () => boolean): void => {
  const before = document.activeElement
  onBeforeUnmount(async () => {
    const here = drawer()
    const had = document.activeElement
    if (!isNowhere(had) && !here?.contains(had)) return
    await nextTick()
    if (!isNowhere(document.activeElement) || focusRow()) return
    const target =
      before instanceof HTMLElement && before.isConnected && !isNowhere(before)
        ? before
        : document.querySelector<HTMLElement>('main h1')
    target?.focus()
  })
}
