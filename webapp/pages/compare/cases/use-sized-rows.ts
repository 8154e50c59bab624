import { useWindowVirtualizer } from '@tanstack/vue-virtual'
import { useEventListener, useResizeObserver } from '@vueuse/core'
import { computed, nextTick, onMounted, ref, toValue, watch, type MaybeRefOrGetter } from 'vue'

/** Height of the page's header and the table's header, which stay visible. */
const HEADER_PX = 48 + 34
/** Rows that are drawn above and below the visible ones. */
const OVERSCAN = 14
/** Maximum number of frames until a row that was scrolled to is drawn. */
const MAX_FRAMES = 5

/**
 * Rows of different heights in a page that scrolls: draws the visible rows and some around them. `sizes` are the heights
 * of all rows in pixels. `before` and `after` are the heights of the rows that are not drawn. A row has its index in
 * `data-index`.
 */
export const useSizedRows = (body: () => HTMLElement | null, sizes: MaybeRefOrGetter<readonly number[]>) => {
  const offset = ref(0)
  const measure = (): void => {
    const rows = body()
    if (rows) offset.value = Math.round(rows.getBoundingClientRect().top + window.scrollY)
  }
  onMounted(measure)
  useEventListener('resize', measure)
  useResizeObserver(document.body, measure)

  const virtual = useWindowVirtualizer(
    computed(() => ({
      count: toValue(sizes).length,
      estimateSize: (index: number) => toValue(sizes)[index] ?? 0,
      overscan: OVERSCAN,
      scrollMargin: offset.value,
      scrollPaddingStart: HEADER_PX + 8,
      scrollPaddingEnd: 16,
    })),
  )
  watch(
    () => toValue(sizes),
    () => virtual.value.measure(),
  )
  const shown = computed(() => virtual.value.getVirtualItems().filter(({ index }) => index < toValue(sizes).length))
  const sum = (from: number, to: number): number =>
    toValue(sizes)
      .slice(from, to)
      .reduce((total, size) => total + size, 0)
  const before = computed(() => sum(0, shown.value[0]?.index ?? 0))
  const after = computed(() => sum((shown.value.at(-1)?.index ?? -1) + 1, toValue(sizes).length))

  /** Scrolls to a row and focuses its link. */
  const focusRow = async (index: number): Promise<void> => {
    virtual.value.scrollToIndex(index, { align: 'auto' })
    await nextTick()
    for (let frame = 0; frame < MAX_FRAMES; frame++) {
      const link = body()?.querySelector<HTMLElement>(`[data-index="${index}"] a`)
      if (link) return link.focus({ preventScroll: true })
      await new Promise(requestAnimationFrame)
    }
  }
  /** The index of the first row that is completely visible. */
  const firstVisible = (): number => shown.value.find(({ start }) => start >= window.scrollY + HEADER_PX)?.index ?? 0
  return { shown, before, after, firstVisible, focusRow }
}
