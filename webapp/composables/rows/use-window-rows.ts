import { useEventListener, useResizeObserver } from '@vueuse/core'
import { computed, nextTick, onMounted, ref, toValue, type MaybeRefOrGetter } from 'vue'

/** Height of the page's header and the table's header, which stay visible. */
const HEADER_PX = 48 + 34
const NARROW = '(max-width: 720px)'
/** Maximum number of rows that are drawn at once, unless the list is drawn completely. */
const MAX_ROWS = 58
/** The drawn rows change after so many rows of scrolling. */
const STEP = 4
/** Maximum number of frames until a row that was scrolled to is drawn. */
const MAX_FRAMES = 5

/**
 * `body` contains the rows. `wide` and `narrow` are the row heights in pixels, which the style must match. A list of at
 * most `whole` rows is drawn completely. `below` is the height of what covers the lower edge of the window.
 */
type Rows = {
  readonly body: () => HTMLElement | null
  readonly count: MaybeRefOrGetter<number>
  readonly wide: number
  readonly narrow: number
  readonly below?: number
  readonly whole?: number
}

/** Focuses the link of a row as soon as the row is drawn. */
const focusLink = async (body: Rows['body'], index: number): Promise<void> => {
  for (let frame = 0; frame < MAX_FRAMES; frame++) {
    const link = body()?.querySelector<HTMLElement>(`tr[data-index="${index}"] a`)
    if (link) return link.focus({ preventScroll: true })
    await new Promise(requestAnimationFrame)
  }
}

/**
 * Rows of one height in a page that scrolls: draws the visible rows and some around them. `before` and `after` are the
 * heights of the rows that are not drawn, in pixels. A row has its index in `data-index`.
 */
export const useWindowRows = ({ body, count, wide, narrow, below = 16, whole = 0 }: Rows) => {
  // Known before the first row is drawn, so that the list can be scrolled to one of them.
  const isNarrow = ref(window.matchMedia(NARROW).matches)
  const height = computed(() => (isNarrow.value ? narrow : wide))
  /** Where the rows begin on the page, in pixels. Null before the first measurement: until then no row is drawn. */
  const offset = ref<number | null>(null)
  const first = ref(0)
  const drawnRows = ref(MAX_ROWS)

  /** Finds the rows to draw: those around the visible ones. */
  const follow = (): void => {
    const visibleRows = Math.ceil(window.innerHeight / height.value) + 1
    const around = Math.max(2, Math.floor((MAX_ROWS - STEP - visibleRows) / 2))
    const top = Math.floor((window.scrollY - (offset.value ?? 0)) / height.value)
    first.value = Math.max(0, Math.floor(top / STEP) * STEP - around)
    drawnRows.value = visibleRows + STEP + 2 * around
  }
  /** Measures where the rows begin on the page; content above them may grow while it loads. */
  const measure = (): void => {
    isNarrow.value = window.matchMedia(NARROW).matches
    const rows = body()
    if (rows) {
      const newOffset = Math.round(rows.getBoundingClientRect().top + window.scrollY)
      const moved = newOffset - (offset.value ?? newOffset)
      // If the user has scrolled, the page is scrolled by the distance that the rows moved, so that they stay where
      // they were in the window.
      if (window.scrollY > 0 && moved !== 0) window.scrollBy(0, moved)
      offset.value = newOffset
    }
    follow()
  }
  onMounted(measure)
  useEventListener('resize', measure)
  useEventListener('scroll', follow, { passive: true })
  useResizeObserver(document.body, measure)

  const startOf = (index: number): number => (offset.value ?? 0) + index * height.value
  /** Half-open: the first row that is drawn, and the first one after them that is not. */
  const range = computed(() => {
    const rows = toValue(count)
    if (offset.value === null) return { from: 0, to: 0 }
    if (rows <= whole) return { from: 0, to: rows }
    // After the list became shorter, the page may still be scrolled beyond its end.
    const from = Math.max(0, Math.min(first.value, rows - drawnRows.value))
    return { from, to: Math.min(rows, from + drawnRows.value) }
  })
  const shown = computed(() => {
    const { from, to } = range.value
    return Array.from({ length: to - from }, (_, n) => ({ index: from + n }))
  })
  const before = computed(() => range.value.from * height.value)
  // Before any row is drawn the page already has its full height, so going back restores the scroll position.
  const after = computed(() => (toValue(count) - range.value.to) * height.value)

  /** The index of the first row that is completely visible. */
  const firstVisible = (): number => {
    const index = Math.ceil((window.scrollY + HEADER_PX - startOf(0)) / height.value)
    return Math.max(0, Math.min(index, toValue(count) - 1))
  }
  /** The rows that are in the window, at least partly. */
  const visible = (): { readonly from: number; readonly to: number } => ({
    from: firstVisible(),
    to: Math.min(toValue(count) - 1, Math.floor((window.scrollY + window.innerHeight - startOf(0)) / height.value)),
  })
  /** Scrolls as little as possible until the row is visible. */
  const scrollToRow = (index: number): void => {
    const highest = startOf(index) - HEADER_PX - 8
    const lowest = startOf(index + 1) - window.innerHeight + below
    if (window.scrollY > highest) window.scrollTo({ top: highest, behavior: 'instant' })
    else if (window.scrollY < lowest) window.scrollTo({ top: lowest, behavior: 'instant' })
    follow()
  }
  /** Scrolls to a row and focuses its link. */
  const focusRow = async (index: number): Promise<void> => {
    scrollToRow(index)
    await nextTick()
    await focusLink(body, index)
  }
  return { shown, before, after, firstVisible, visible, scrollToRow, focusRow }
}
