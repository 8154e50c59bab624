import { disableAutoUnmount, enableAutoUnmount } from '@vue/test-utils'
import { afterEach, vi } from 'vitest'

// Spec files share one document and one copy of the test utilities, which allow automatic unmounting to be enabled only
// once. Everything that a spec mounts is removed before the next spec.
disableAutoUnmount()
enableAutoUnmount(afterEach)
afterEach(() => {
  document.body.innerHTML = ''
  localStorage.clear()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})
