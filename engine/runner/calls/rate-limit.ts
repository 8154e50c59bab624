import type { Ports } from '../../ports.ts'

/** Waits until the next call of a provider may start. Rejects with the reason of the signal. */
export type RateLimit = (providerId: string, signal: AbortSignal) => Promise<void>

/** Starts at most `rps` calls of each provider per second, evenly spaced, in the order in which they ask. */
export const rateLimit = (rps: number, { monotonic, sleep }: Pick<Ports, 'monotonic' | 'sleep'>): RateLimit => {
  const spacing = 1000 / rps
  const nextStarts = new Map<string, number>()
  return async (providerId, signal) => {
    const now = monotonic()
    const start = Math.max(now, nextStarts.get(providerId) ?? 0)
    nextStarts.set(providerId, start + spacing)
    if (start > now) await sleep(start - now, signal)
  }
}
