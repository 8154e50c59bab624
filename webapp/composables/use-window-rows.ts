import { useWindowVirtualizer } from '@tanstack/vue-virtual'
import { useEventListener, useMediaQuery, useResizeObserver } from '@vueuse/core'
import { computed, nextTick, onMounted, ref, toValue, watch } from 'vue'
import type { MaybeRefOrGetter } from 'vue'

/** The header of the page and that of the table, which stay in sight. */
const HEADER_PX = 48 + 34
/** Never more rows than this are in the page. */
const MAX_ROWS = 58
/** Frames in which a row that was scrolled to is drawn. */
const SOON = 5

/**
 * `body` holds the rows; `wide` and `narrow` are their heights, which their style keeps to, in pixels; so many rows as
 * `whole` says are always there.
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
 * Rows of one height in a page that scrolls: those in sight and some around them. `before` and `after` are the heights
 * of what is left out, in pixels; a row names its place in `data-index`. `below` is what covers the lower edge of the
 * window.
 */
export const useWindowRows = ({ body, count, wide, narrow, below = 16, whole = 0 }: Rows) => {
  const isNarrow = useMediaQuery('(max-width: 720px)')
  const height = computed(() => (isNarrow.value ? narrow : wide))
  const around = ref(18)
  const offset = ref(0)
  /** Where the rows begin on the page: what stands above them grows as it loads. */
  const measure = (): void => {
    const rows = body()
    if (rows) {
      const now = Math.round(rows.getBoundingClientRect().top + window.scrollY)
      const moved = now - offset.value
      // Whoever has scrolled keeps the rows where they are; before the first measure there are none.
      if (offset.value > 0 && window.scrollY > 0 && moved !== 0) window.scrollBy(0, moved)
      offset.value = now
    }
    const seen = Math.ceil(window.innerHeight / height.value) + 1
    around.value = Math.max(2, Math.floor((MAX_ROWS - seen) / 2))
  }
  onMounted(measure)
  useEventListener('resize', measure)
  useResizeObserver(document.body, measure)

  const virtual = useWindowVirtualizer(
    computed(() => {
      const rows = toValue(count)
      const overscan = rows <= whole ? rows : around.value
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
  // Before any row is drawn the page is as high as it will be: whoever comes back finds the place.
  const after = computed(() => (toValue(count) - 1 - (shown.value.at(-1)?.index ?? -1)) * height.value)

  /** The first row that is wholly in sight. */
  const first = (): number => shown.value.find(({ start }) => start >= window.scrollY + HEADER_PX)?.index ?? 0
  const bringIntoSight = (index: number): void => virtual.value.scrollToIndex(index, { align: 'auto' })
  /** Brings a row into sight and gives the focus to its link. */
  const focusRow = async (index: number): Promise<void> => {
    bringIntoSight(index)
    await nextTick()
    for (let frame = 0; frame < SOON; frame++) {
      const link = body()?.querySelector<HTMLElement>(`tr[data-index="${index}"] a`)
      if (link) return link.focus({ preventScroll: true })
      await new Promise(requestAnimationFrame)
    }
  }
  return { shown, before, after, first, bringIntoSight, focusRow }
}
