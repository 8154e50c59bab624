import { disableAutoUnmount, enableAutoUnmount } from '@vue/test-utils'
import { afterEach, vi } from 'vitest'

// Spec files share one document and one copy of the test utilities, which allow automatic unmounting to be enabled only
// once. Before the next spec, everything that a spec mounts is removed, and the window is at its top again.
disableAutoUnmount()
enableAutoUnmount(afterEach)
afterEach(() => {
  document.body.innerHTML = ''
  window.scrollTo({ top: 0, behavior: 'instant' })
  localStorage.clear()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})
