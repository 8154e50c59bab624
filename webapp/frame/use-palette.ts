import { useEventListener } from '@vueuse/core'
import { useLazyPart } from '../composables/lazy/use-lazy-part.ts'

/** The command palette: `Ctrl K` or `⌘ K` opens and closes it, even while the user types. */
export const usePalette = () => {
  const {
    part: palette,
    isOpen: isPaletteOpen,
    open: openPalette,
  } = useLazyPart(() => import('./palette/CommandPalette.vue'), 'The commands could not be loaded')
  useEventListener(
    window,
    'keydown',
    (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      // Another dialog keeps the keys.
      if (!isPaletteOpen.value && document.querySelector('[role="dialog"][data-modal]') !== null) return
      event.preventDefault()
      if (isPaletteOpen.value) isPaletteOpen.value = false
      else openPalette()
    },
    { capture: true },
  )
  return { palette, isPaletteOpen, openPalette }
}
