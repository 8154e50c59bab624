import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Bytes that a thread may pass on before their memory is freed. */
const MAX_PASSED_BYTES = 4 * 1024 * 1024

type CollectGarbage = (options: { readonly type: 'minor' }) => void

/** The garbage collector. Node has no other function that starts it. */
const collector = (): CollectGarbage => {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as CollectGarbage
}

let collect: CollectGarbage | null = null
let passedBytes = 0

/**
 * Counts bytes of a long response that this thread has read, or has received from another thread, and does not need any
 * more. V8 frees the memory of such buffers late: 32 MiB of its own, 64 MiB of those of other threads. So after each
 * 4 MiB, this function starts a collection of young objects, which takes about a millisecond.
 */
export const countPassedBytes = (bytes: number): void => {
  passedBytes += bytes
  if (passedBytes < MAX_PASSED_BYTES) return
  passedBytes = 0
  collect ??= collector()
  collect({ type: 'minor' })
}
