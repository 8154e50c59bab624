import { onScopeDispose, readonly, ref, type Ref } from 'vue'

const EVERY_MS = 30_000
const now = ref(Date.now())
let users = 0
let timer: ReturnType<typeof setInterval>

const update = (): void => void (now.value = Date.now())

/** Epoch milliseconds, updated every half minute: one clock for all times on a page. */
export const useNow = (): Readonly<Ref<number>> => {
  if (users++ === 0) {
    update()
    timer = setInterval(update, EVERY_MS)
  }
  onScopeDispose(() => --users === 0 && clearInterval(timer))
  return readonly(now)
}
