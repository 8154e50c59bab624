import { useKeys } from '../use-keys.ts'

/**
 * `j` and `k` move the focus through the links of a list; Enter then follows the focused one. `rows` returns them in
 * order.
 */
export const useRowKeys = (rows: () => readonly HTMLElement[]): void => {
  const step = (by: 1 | -1): void => {
    const all = rows()
    const at = all.indexOf(document.activeElement as HTMLElement)
    const next = all[at === -1 ? 0 : Math.min(all.length - 1, Math.max(0, at + by))]
    next?.focus()
    next?.scrollIntoView({ block: 'nearest' })
  }
  useKeys({
    j: { does: 'Next row', run: () => step(1) },
    k: { does: 'Previous row', run: () => step(-1) },
  })
}
