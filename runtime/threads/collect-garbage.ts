import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Collects all garbage of the calling thread, and returns the memory to the system. The thread does nothing else for about a
 * millisecond per MiB that it uses. No two threads may call it at the same time.
 */
export const collectGarbage = (): void => {
  // Only a context that is made while the flag is set has the function. The flag is one for all threads.
  setFlagsFromString('--expose-gc')
  let collect: (how: { readonly type: string; readonly execution: string; readonly flavor: string }) => void
  try {
    collect = runInNewContext('gc') as typeof collect
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
  // The flavor of V8 for a system that is short of memory: no other one returns the young heap.
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
