import { useResizeObserver } from '@vueuse/core'
import { onMounted, ref, watch } from 'vue'

/**
 * A box that shows the first lines of a text until it is opened. `overflows` says whether it has more lines than that;
 * it is measured before the browser paints, so that a button for the rest is there from the first frame on. Another text
 * closes the box.
 */
export const useFolded = (box: () => HTMLElement | null, text: () => string) => {
  const isOpen = ref(false)
  const overflows = ref(false)
  const measure = (): void => {
    const element = box()
    if (!isOpen.value && element) overflows.value = element.scrollHeight > element.clientHeight + 1
  }
  onMounted(measure)
  useResizeObserver(box, measure)
  watch(text, () => (isOpen.value = false))
  watch(text, measure, { flush: 'post' })
  return { isOpen, overflows }
}
