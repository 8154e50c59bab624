import { nextTick, onBeforeUnmount } from 'vue'

/**
 * Whether no useful element has the focus. A click on an element that cannot be focused moves the focus to the page's
 * `main`.
 */
const isNowhere = (element: Element | null): boolean =>
  element === null || element === document.body || element.matches('main')

/**
 * Returns the focus when a drawer closes: to the list's row that `focusRow` finds, else to the element that had it
 * before, else to the page's heading. If the focus is already elsewhere, it stays there.
 */
export const useFocusReturn = (drawer: () => HTMLElement | null, focusRow: () => boolean): void => {
  const previous = document.activeElement
  onBeforeUnmount(async () => {
    const drawerElement = drawer()
    const focused = document.activeElement
    if (!isNowhere(focused) && !drawerElement?.contains(focused)) return
    await nextTick()
    if (!isNowhere(document.activeElement) || focusRow()) return
    const target =
      previous instanceof HTMLElement && previous.isConnected && !isNowhere(previous)
        ? previous
        : document.querySelector<HTMLElement>('main h1')
    target?.focus()
  })
}
