import { waitForEnd } from '../abortable.ts'

/** Runs a call under a key. */
export type SingleFlight = <T>(key: string, signal: AbortSignal, call: () => Promise<T>) => Promise<T>

/**
 * Returns a gate for equal calls. The first call of a key runs; the others wait until it has ended, whether it failed or
 * not, and then all run at once. A waiting call rejects with the reason of its signal.
 */
export const singleFlight = (): SingleFlight => {
  const running = new Map<string, Promise<void>>()
  return async (key, signal, call) => {
    const earlier = running.get(key)
    if (earlier !== undefined) {
      await waitForEnd(earlier, signal)
      return call()
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    running.set(key, promise)
    try {
      return await call()
    } finally {
      running.delete(key)
      resolve()
    }
  }
}
