import { randomFillSync } from 'node:crypto'
import { monotonicFactory } from 'ulid'

/** Random bytes fetched at once: asking the system for each digit of an id would cost more than the rest of it. */
const POOL_BYTES = 4096

/** Mints ulids that rise even within a millisecond. */
export const newIds = (): (() => string) => {
  const pool = new Uint8Array(POOL_BYTES)
  let at = POOL_BYTES
  const mint = monotonicFactory(() => {
    if (at === POOL_BYTES) {
      randomFillSync(pool)
      at = 0
    }
    // A digit holds 5 bits, so 8 are enough for it.
    return (pool[at++] ?? 0) / 256
  })
  return () => mint()
}
