import { LRUCache } from 'lru-cache'

/** Maximum number of callers in memory. The least recently used one is evicted first, and then has a full bucket. */
const MAX_CALLERS = 20_000

export type TokenBuckets = {
  /** Takes one token of a caller. Returns 0, or the milliseconds until there is one. */
  readonly take: (caller: string) => number
}

/**
 * One token bucket for each caller, in memory: a restart fills them. A bucket has `burst` tokens and gets another one
 * every `intervalMs`. It is held as the time at which it is full again (the generic cell rate algorithm, ITU-T I.371).
 * `now` returns epoch milliseconds.
 */
export const tokenBuckets = ({
  burst,
  intervalMs,
  now,
}: {
  readonly burst: number
  readonly intervalMs: number
  readonly now: () => number
}): TokenBuckets => {
  const burstMs = burst * intervalMs
  // With `max` instead of `maxSize`, LRUCache would allocate the memory for all entries at once.
  const fullAt = new LRUCache<string, number>({ maxSize: MAX_CALLERS, sizeCalculation: () => 1 })
  return {
    take: (caller) => {
      const at = now()
      const stored = fullAt.get(caller) ?? at
      // A time that is too late was stored before the clock was set back.
      const next = (stored > at + burstMs ? at : Math.max(at, stored)) + intervalMs
      if (next - at > burstMs) return next - at - burstMs
      fullAt.set(caller, next)
      return 0
    },
  }
}
