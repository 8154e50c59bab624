import { computed, readonly, ref, shallowRef } from 'vue'
import type { RouteLocationNormalized, Router } from 'vue-router'
import { api } from '../api/api.ts'

/** Whether a page is on its way, because its script is requested. */
const isLoading = ref(false)

/** The page or the part of it whose script could not be loaded. */
const failed = shallowRef<RouteLocationNormalized | null>(null)
const failures = ref(0)

/** Follows the navigation of a router: what is loading, and what could not be loaded. */
export const watchNavigation = (router: Router): void => {
  router.beforeEach(() => {
    isLoading.value = true
  })
  router.afterEach((_to, _from, failure) => {
    isLoading.value = false
    if (failure) return
    failed.value = null
    failures.value = 0
  })
  router.onError((_error, to) => {
    isLoading.value = false
    failed.value = to
    failures.value++
  })
}

/**
 * What is loading, and what failed. `retry` requests the script again. If it fails again although the server answers,
 * a new version has replaced the files, and the address is loaded again.
 */
export const useNavigation = (router: Router) => {
  const retry = async (): Promise<void> => {
    const to = failed.value
    if (!to) return
    const isReachable = failures.value > 1 && (await api.get('/health').then(Boolean, () => false))
    if (isReachable) location.assign(to.fullPath)
    else await router.push(to.fullPath).catch(() => undefined)
  }
  return {
    isLoading: readonly(isLoading),
    failed: computed(() => failed.value !== null),
    /** No page is shown behind the failure. */
    isFirst: computed(() => failed.value !== null && router.currentRoute.value.matched.length === 0),
    retry: () => void retry(),
    dismiss: (): void => void (failed.value = null),
  }
}
