import { enableAutoUnmount } from '@vue/test-utils'
import { afterEach } from 'vitest'

// What one spec mounts is gone before the next.
enableAutoUnmount(afterEach)
afterEach(() => {
  document.body.innerHTML = ''
  localStorage.clear()
})
