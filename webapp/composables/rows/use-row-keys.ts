import { useKeys } from '../use-keys.ts'

/**
 * `j` and `k` move the focus through the links of a list that is drawn completely; Enter then follows the focused one.
 * `links` returns one link for each row, in order. After the focus was elsewhere, it continues at the row that had it
 * last. `what` names a row: "suite".
 */
export const useRowKeys = (links: () => readonly HTMLElement[], what = 'row'): void => {
  let last: number | null = null
  const step = (by: 1 | -1): void => {
    const all = links()
    const focused = all.indexOf(document.activeElement as HTMLElement)
    const at = focused === -1 ? last : focused
    const next = at === null ? 0 : Math.min(all.length - 1, Math.max(0, at + by))
    last = next
    all[next]?.focus({ preventScroll: true })
    all[next]?.scrollIntoView({ block: 'nearest' })
  }
  const does = `Next, previous ${what}`
  useKeys({ j: { does, run: () => step(1) }, k: { does, run: () => step(-1) } })
}

/** The first link of each row of a list. */
export const rowLinks = (list: HTMLElement | null, rows: string): HTMLElement[] =>
  [...(list?.querySelectorAll(rows) ?? [])].flatMap((row) => row.querySelector<HTMLElement>('a') ?? [])
