import { nextTick, onMounted, ref, shallowRef, type Component } from 'vue'
import { toast } from '../use-toasts.ts'

/** Long enough for a page to have what it shows first. */
const PRELOAD_DELAY_MS = 3_000

/**
 * A part of the frame that opens over the page. Its script is requested when the page has been shown for a while, or
 * when the part is first opened. `failure` is the message when it cannot be loaded.
 */
export const useLazyPart = (load: () => Promise<{ readonly default: Component }>, failure: string) => {
  const part = shallowRef<Component | null>(null)
  const isOpen = ref(false)
  let failures = 0

  const request = async (): Promise<void> => {
    part.value ??= (await load()).default
  }
  const open = (): void => {
    isOpen.value = true
    request().catch(() => {
      isOpen.value = false
      toast(failure, {
        kind: 'failed',
        // After a new version was installed, only the page itself knows the new files.
        action:
          ++failures > 1
            ? { label: 'Reload the page', run: () => location.reload() }
            : { label: 'Try again', run: () => void nextTick(open) },
      })
    })
  }
  // A failure is reported when the part is opened.
  const preload = (): void => void request().catch(() => undefined)
  onMounted(() => setTimeout(() => requestIdleCallback(preload), PRELOAD_DELAY_MS))
  return { part, isOpen, open, preload }
}
