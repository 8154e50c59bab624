import { disableAutoUnmount, enableAutoUnmount } from '@vue/test-utils'
import { afterEach, vi } from 'vitest'

// Files share a document and the test utilities, which refuse to be set up twice. What one spec mounts is gone before
// the next.
disableAutoUnmount()
enableAutoUnmount(afterEach)
afterEach(() => {
  document.body.innerHTML = ''
  localStorage.clear()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})
