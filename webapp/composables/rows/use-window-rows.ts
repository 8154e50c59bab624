import { useWindowVirtualizer } from '@tanstack/vue-virtual'
import { useEventListener, useMediaQuery, useResizeObserver } from '@vueuse/core'
import { computed, nextTick, onMounted, ref, toValue, watch } from 'vue'
import type { MaybeRefOrGetter } from 'vue'

/** Height of the page's header and the table's header, which stay visible. */
const HEADER_PX = 48 + 34
/** Maximum number of rows that are drawn at once, unless the list is drawn completely. */
const MAX_ROWS = 58
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

/**
 * Rows of one height in a page that scrolls: draws the visible rows and some around them. `before` and `after` are the
 * heights of the rows that are not drawn, in pixels. A row has its index in `data-index`.
 */
export const useWindowRows = ({ body, count, wide, narrow, below = 16, whole = 0 }: Rows) => {
  const isNarrow = useMediaQuery('(max-width: 720px)')
  const height = computed(() => (isNarrow.value ? narrow : wide))
  const overscanRows = ref(18)
  const offset = ref(0)
  /** Measures where the rows begin on the page; content above them may grow while it loads. */
  const measure = (): void => {
    const rows = body()
    if (rows) {
      const newOffset = Math.round(rows.getBoundingClientRect().top + window.scrollY)
      const moved = newOffset - offset.value
      // If the user has scrolled, the page is scrolled by the distance that the rows moved, so that they stay where
      // they were in the window. Before the first measurement there are no rows.
      if (offset.value > 0 && window.scrollY > 0 && moved !== 0) window.scrollBy(0, moved)
      offset.value = newOffset
    }
    const visibleRows = Math.ceil(window.innerHeight / height.value) + 1
    overscanRows.value = Math.max(2, Math.floor((MAX_ROWS - visibleRows) / 2))
  }
  onMounted(measure)
  useEventListener('resize', measure)
  useResizeObserver(document.body, measure)

  const virtual = useWindowVirtualizer(
    computed(() => {
      const rows = toValue(count)
      const overscan = rows <= whole ? rows : overscanRows.value
      return {
        count: rows,
        estimateSize: () => height.value,
        overscan,
        scrollMargin: offset.value,
        scrollPaddingStart: HEADER_PX + 8,
        scrollPaddingEnd: below,
      }
    }),
  )
  watch(height, () => {
    measure()
    virtual.value.measure()
  })
  const shown = computed(() => virtual.value.getVirtualItems().filter(({ index }) => index < toValue(count)))
  const before = computed(() => (shown.value[0]?.index ?? 0) * height.value)
  // Before any row is drawn the page already has its full height, so going back restores the scroll position.
  const after = computed(() => (toValue(count) - 1 - (shown.value.at(-1)?.index ?? -1)) * height.value)

  /** The index of the first row that is completely visible. */
  const firstVisible = (): number => shown.value.find(({ start }) => start >= window.scrollY + HEADER_PX)?.index ?? 0
  const scrollToRow = (index: number): void => virtual.value.scrollToIndex(index, { align: 'auto' })
  /** Scrolls to a row and focuses its link. */
  const focusRow = async (index: number): Promise<void> => {
    scrollToRow(index)
    await nextTick()
    for (let frame = 0; frame < MAX_FRAMES; frame++) {
      const link = body()?.querySelector<HTMLElement>(`tr[data-index="${index}"] a`)
      if (link) return link.focus({ preventScroll: true })
      await new Promise(requestAnimationFrame)
    }
  }
  return { shown, before, after, firstVisible, scrollToRow, focusRow }
}
