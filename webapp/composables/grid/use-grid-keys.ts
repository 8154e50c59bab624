import { computed, nextTick, ref, toValue, type MaybeRefOrGetter } from 'vue'

/** A cell of a grid. Row -1 is the header, column -1 the names of the rows. Its element has both in `data-at`. */
export type Place = { readonly row: number; readonly column: number }

const PAGE_STEP = 10
const MOVES: Readonly<Record<string, readonly [row: number, column: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [-PAGE_STEP, 0],
  PageDown: [PAGE_STEP, 0],
  Home: [0, -Infinity],
  End: [0, Infinity],
}
const clamp = (value: number, min: number, max: number): number => Math.max(min, Math.min(max, value))

/**
 * `last` is the last cell, `firstRow` -1 if the keys reach the header, and `home` the column that Home leads to. `drawn` has
 * the rows and columns that are drawn; without columns, all are. `reveal` scrolls to a cell, and `open` opens it.
 */
type Grid = {
  readonly element: MaybeRefOrGetter<HTMLElement | null>
  readonly last: () => Place
  readonly firstRow: 0 | -1
  readonly home: 0 | -1
  readonly drawn: () => { readonly rows: readonly number[]; readonly columns?: readonly number[] }
  readonly reveal: (place: Place) => void
  readonly open: (place: Place) => void
}

/**
 * The keys of a grid of which only a part is drawn: one Tab stop, arrow keys inside, Page Up and Down, Home and End, with
 * Control to the corners, and Enter or the space bar to open a cell.
 */
export const useGridKeys = ({ element, last, firstRow, home, drawn, reveal, open }: Grid) => {
  const active = ref<Place>({ row: 0, column: 0 })
  /** The cell that has the Tab stop: one that is drawn. */
  const tabStop = computed((): Place => {
    const { rows, columns } = drawn()
    const { row, column } = active.value
    return {
      row: (row === -1 && firstRow === -1) || rows.includes(row) ? row : (rows[0] ?? firstRow),
      column:
        column === -1 || !columns || columns.includes(column) ? Math.min(last().column, column) : (columns[0] ?? 0),
    }
  })
  const focus = async (place: Place): Promise<void> => {
    active.value = place
    reveal(place)
    await nextTick()
    const focusDrawn = (): boolean => {
      const found = toValue(element)?.querySelector<HTMLElement>(`[data-at="${place.row} ${place.column}"]`)
      found?.focus({ preventScroll: true })
      // The grid itself may be partly below the window.
      found?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
      return found !== null && found !== undefined
    }
    // A cell that just became visible is drawn after the scroll event.
    if (!focusDrawn()) requestAnimationFrame(() => requestAnimationFrame(focusDrawn))
  }
  const press = (event: KeyboardEvent): void => {
    if (event.altKey || event.metaKey) return
    const { row, column } = tabStop.value
    const move = MOVES[event.key]
    const opens = event.key === 'Enter' || event.key === ' '
    if (!opens && !move) return
    event.preventDefault()
    if (!move) return open(tabStop.value)
    const [down, right] = move
    const next = {
      row: clamp(row + (event.ctrlKey && down === 0 ? right : down), firstRow, last().row),
      column: event.key === 'Home' ? home : clamp(column + right, -1, last().column),
    }
    // The header has no name of a row.
    void focus(next.row === -1 && next.column === -1 ? { row: -1, column: 0 } : next)
  }
  const placeOf = ({ target }: Event): Place | null => {
    const at = target instanceof Element ? target.closest<HTMLElement>('[data-at]')?.dataset['at'] : undefined
    if (at === undefined) return null
    const [row = -1, column = -1] = at.split(' ').map(Number)
    return { row, column }
  }
  const focusIn = (event: Event): void => {
    active.value = placeOf(event) ?? active.value
  }
  const tabIndex = (row: number, column: number): 0 | -1 =>
    tabStop.value.row === row && tabStop.value.column === column ? 0 : -1
  return { active, tabStop, tabIndex, focus, press, placeOf, focusIn }
}
