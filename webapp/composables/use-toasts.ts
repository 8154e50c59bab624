import { readonly, ref } from 'vue'

export type Toast = {
  readonly id: number
  readonly text: string
  readonly kind: 'done' | 'failed'
  readonly action?: { readonly label: string; readonly run: () => void }
}

/** Long enough to read a toast and press its button. */
const SHOWN_MS = 8_000

const toasts = ref<readonly Toast[]>([])
const timers = new Map<number, ReturnType<typeof setTimeout>>()
let last = 0

const close = (id: number): void => {
  clearTimeout(timers.get(id))
  timers.delete(id)
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}
const hold = (id: number): void => clearTimeout(timers.get(id))
const release = (id: number): void =>
  void timers.set(
    id,
    setTimeout(() => close(id), SHOWN_MS),
  )

/** Shows a message for some seconds, with a button for `action`, such as undoing what was done. */
export const toast = (text: string, { kind = 'done', action }: Partial<Pick<Toast, 'kind' | 'action'>> = {}): void => {
  const id = ++last
  toasts.value = [...toasts.value, { id, text, kind, ...(action ? { action } : {}) }]
  release(id)
}

/** The toasts that are shown. A toast stays while the pointer is over it or the focus is in it. */
export const useToasts = () => ({ toasts: readonly(toasts), close, hold, release })
