import { useEventListener } from '@vueuse/core'
import { nextTick, onMounted, ref, shallowRef } from 'vue'
import type { Component } from 'vue'
import { toast } from '../composables/use-toasts.ts'

/**
 * The command palette: `Ctrl K` or `⌘ K` opens and closes it, even while the user types. Its script is requested when
 * the page is idle, or when it is first needed.
 */
export const usePalette = () => {
  const palette = shallowRef<Component | null>(null)
  const isPaletteOpen = ref(false)
  let failures = 0

  const load = async (): Promise<void> => {
    palette.value ??= (await import('./palette/CommandPalette.vue')).default
  }
  const openPalette = (): void => {
    isPaletteOpen.value = true
    load().catch(() => {
      isPaletteOpen.value = false
      toast('The commands could not be loaded', {
        kind: 'failed',
        // After a new version was installed, only the page itself knows the new files.
        action:
          ++failures > 1
            ? { label: 'Reload the page', run: () => location.reload() }
            : { label: 'Try again', run: () => void nextTick(openPalette) },
      })
    })
  }
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
  // A failure is reported when the palette is opened.
  onMounted(() => requestIdleCallback(() => void load().catch(() => undefined), { timeout: 5_000 }))
  return { palette, isPaletteOpen, openPalette }
}
