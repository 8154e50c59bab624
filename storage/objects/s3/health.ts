/** The requests of the client, as metrics name them. */
export const OBJECT_OPS = ['put', 'get', 'head', 'delete', 'list'] as const
export type ObjectOp = (typeof OBJECT_OPS)[number]

/** How requests ended. `missing`: the object is not there. `refused`: denied, expired, no bucket. */
export const OBJECT_RESULTS = ['ok', 'missing', 'refused', 'failed', 'timeout'] as const
export type ObjectResult = (typeof OBJECT_RESULTS)[number]

/** Upper bounds of the times of requests, in seconds. */
export const OBJECT_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const

/** Failures in a row, each after all its tries, after which no request is tried until a probe comes through. */
const FAILURES_TO_OPEN = 4

/** The number of requests of an operation by their results, and their times: how many were within each bound, and the sum. */
export type ObjectTimes = {
  readonly results: Readonly<Record<ObjectResult, number>>
  readonly counts: readonly number[]
  readonly seconds: number
}

/** What all threads of a process know of an object store. */
export type StoreHealth = {
  /** To be passed to another thread. */
  readonly buffer: SharedArrayBuffer
  readonly count: (op: ObjectOp, result: ObjectResult, ms: number) => void
  /** Notes how a request ended, after all its tries. One that is denied, or finds no room, is no failure in a row. */
  readonly note: (end: 'ok' | 'denied' | 'failed') => void
  /** So many requests in a row failed that no other is tried. */
  readonly isOpen: () => boolean
  /** Whether the last request came through. */
  readonly isUp: () => boolean
  readonly times: (op: ObjectOp) => ObjectTimes
}

const PER_OP = OBJECT_RESULTS.length + OBJECT_SECONDS.length + 2

/** The health of a store, in memory that threads share: a new one, or that of another thread. */
export const storeHealth = (
  buffer = new SharedArrayBuffer((1 + OBJECT_OPS.length * PER_OP) * BigInt64Array.BYTES_PER_ELEMENT),
): StoreHealth => {
  // The failures in a row; then for each operation its results, its times, and the sum of these in microseconds.
  const numbers = new BigInt64Array(buffer)
  const startOf = (op: ObjectOp): number => 1 + OBJECT_OPS.indexOf(op) * PER_OP
  const read = (at: number): number => Number(Atomics.load(numbers, at))
  return {
    buffer,
    count: (op, result, ms) => {
      const start = startOf(op)
      const bound = OBJECT_SECONDS.findIndex((seconds) => ms <= seconds * 1000)
      Atomics.add(numbers, start + OBJECT_RESULTS.indexOf(result), 1n)
      const slot = bound < 0 ? OBJECT_SECONDS.length : bound
      Atomics.add(numbers, start + OBJECT_RESULTS.length + slot, 1n)
      Atomics.add(numbers, start + PER_OP - 1, BigInt(Math.round(ms * 1000)))
    },
    note: (end) => {
      if (end === 'ok') Atomics.store(numbers, 0, 0n)
      else if (end === 'failed') Atomics.add(numbers, 0, 1n)
      else Atomics.compareExchange(numbers, 0, 0n, 1n)
    },
    isOpen: () => read(0) >= FAILURES_TO_OPEN,
    isUp: () => read(0) === 0,
    times: (op) => {
      const start = startOf(op)
      const results = OBJECT_RESULTS.map((result, i) => [result, read(start + i)] as const)
      const counts = Array.from({ length: OBJECT_SECONDS.length + 1 }, (_, i) =>
        read(start + OBJECT_RESULTS.length + i),
      )
      return {
        results: Object.fromEntries(results) as Record<ObjectResult, number>,
        counts,
        seconds: read(start + PER_OP - 1) / 1e6,
      }
    },
  }
}
