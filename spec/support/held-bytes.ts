import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** The bytes of heap that a value holds as long as it is in use. */
export const heldBytes = (make: () => unknown): number => {
  // Twice: what the first one finalizes is freed by the second.
  collectGarbage()
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  const value = make()
  collectGarbage()
  collectGarbage()
  const held = process.memoryUsage().heapUsed - before
  // Still in use here, so that the collector has not taken it.
  if (value === null) throw new Error('nothing is held')
  return held
}
