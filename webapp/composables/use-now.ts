import { onScopeDispose, readonly, ref } from 'vue'
import type { Ref } from 'vue'

const EVERY_MS = 30_000

const now = ref(Date.now())
let users = 0
let timer: ReturnType<typeof setInterval> | undefined

/** Epoch milliseconds, moving on every half minute: one clock for all times on a page. */
export const useNow = (): Readonly<Ref<number>> => {
  if (users++ === 0) {
    now.value = Date.now()
    timer = setInterval(() => (now.value = Date.now()), EVERY_MS)
  }
  onScopeDispose(() => {
    if (--users === 0) clearInterval(timer)
  })
  return readonly(now)
}
