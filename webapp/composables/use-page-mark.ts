import { onScopeDispose, watch } from 'vue'

/** What covers a part of the page, for the styles of the rest of it: `html[data-mark~='docked']`. */
export type PageMark = 'docked' | 'covers' | 'narrow' | 'full' | 'selection'

const marks = new Map<symbol, readonly PageMark[]>()
const show = (): void => {
  const all = new Set([...marks.values()].flat())
  if (all.size === 0) delete document.documentElement.dataset['mark']
  else document.documentElement.dataset['mark'] = [...all].join(' ')
}

/**
 * Marks the page while the calling component exists. A style with `:has()` on the page would do the same, but the browser
 * would then style the whole page again after each change of a part.
 */
export const usePageMark = (current: () => readonly PageMark[]): void => {
  const owner = Symbol('owner of marks')
  watch(
    () => current().join(' '),
    () => {
      marks.set(owner, current())
      show()
    },
    { immediate: true, flush: 'pre' },
  )
  onScopeDispose(() => {
    marks.delete(owner)
    show()
  })
}
