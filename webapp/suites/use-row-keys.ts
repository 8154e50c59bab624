import { nextTick, ref } from 'vue'
import { useKeys } from '../composables/use-keys.ts'

/**
 * Moves through the rows of a table that is drawn completely, with `j` and `k`: focuses the first link of the row, so
 * that Enter opens it. `what` names a row: "suite". A row has its index in `data-index`.
 */
export const useRowKeys = (body: () => HTMLElement | null, count: () => number, what: string) => {
  const pointed = ref<number | null>(null)
  const move = async (by: number): Promise<void> => {
    if (count() === 0) return
    pointed.value = pointed.value === null ? 0 : Math.max(0, Math.min(count() - 1, pointed.value + by))
    await nextTick()
    const row = body()?.querySelector<HTMLElement>(`[data-index="${pointed.value}"]`)
    row?.querySelector<HTMLElement>('a')?.focus({ preventScroll: true })
    row?.scrollIntoView({ block: 'nearest' })
  }
  useKeys({
    j: { does: `Next, previous ${what}`, run: () => void move(1) },
    k: { does: `Next, previous ${what}`, run: () => void move(-1) },
  })
  return { pointed }
}
