import { randomFillSync } from 'node:crypto'
import { monotonicFactory } from 'ulid'

/**
 * Number of random bytes that one system call fetches. A call for each digit of an id would cost more than all other
 * work for the id.
 */
const POOL_BYTES = 4096

/** Returns a function that mints ULIDs, in ascending order even within a millisecond. */
export const newIds = (): (() => string) => {
  const pool = new Uint8Array(POOL_BYTES)
  let next = POOL_BYTES
  const mint = monotonicFactory(() => {
    if (next === POOL_BYTES) {
      randomFillSync(pool)
      next = 0
    }
    // A digit has 5 bits, so 8 random bits are enough.
    return (pool[next++] ?? 0) / 256
  })
  return () => mint()
}
