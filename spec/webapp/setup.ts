import { disableAutoUnmount, enableAutoUnmount } from '@vue/test-utils'
import { afterEach, vi } from 'vitest'

// Spec files share a document and the test utilities, which cannot be set up twice. Everything that a spec mounts is
// removed before the next spec.
disableAutoUnmount()
enableAutoUnmount(afterEach)
afterEach(() => {
  document.body.innerHTML = ''
  localStorage.clear()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})
