import { spawn } from 'node:child_process'
import { createHttpClient } from '../../../cli/suite/http-client.ts'
import type { Ports } from '../../../engine/ports.ts'

/** A clock whose time passes only when a spec says so. */
export type ManualClock = Pick<Ports, 'now' | 'monotonic' | 'sleep'> & {
  /** The milliseconds of all sleeps so far, in order. */
  readonly slept: readonly number[]
  /** Lets time pass: sleeps that end by then resolve. */
  readonly advance: (ms: number) => void
}

/** 2026-08-01T12:00:00Z. */
export const START_MS = Date.UTC(2026, 7, 1, 12)

/**
 * A clock that starts at `START_MS`. Sleeps shorter than `skipBelowMs` pass at once: waits between attempts, but no
 * deadlines.
 */
export const manualClock = (skipBelowMs = 0): ManualClock => {
  let time = START_MS
  const slept: number[] = []
  const sleeping = new Set<{ readonly until: number; readonly wake: () => void }>()
  const advance = (ms: number) => {
    time += ms
    for (const sleeper of sleeping) if (sleeper.until <= time) sleeper.wake()
  }
  return {
    now: () => time,
    monotonic: () => time - START_MS,
    slept,
    advance,
    sleep: (ms, signal) => {
      slept.push(ms)
      if (signal?.aborted) return Promise.reject(signal.reason as Error)
      if (ms < skipBelowMs) {
        advance(ms)
        return Promise.resolve()
      }
      return new Promise((resolve, reject) => {
        const stop = () => {
          sleeping.delete(sleeper)
          reject(signal?.reason as Error)
        }
        const sleeper = {
          until: time + ms,
          wake: () => {
            sleeping.delete(sleeper)
            signal?.removeEventListener('abort', stop)
            resolve()
          },
        }
        sleeping.add(sleeper)
        signal?.addEventListener('abort', stop, { once: true })
      })
    },
  }
}

/** The client of the command line, without a proxy. */
const HTTP = createHttpClient({})

/** Ports of a spec: real network and programs, a manual clock, no chance, and only the environment that is given. */
export const enginePorts = (
  env: Ports['env'] = {},
  clock: Pick<Ports, 'now' | 'monotonic' | 'sleep'> = manualClock(30_000),
): Ports => ({
  http: HTTP,
  fetch,
  spawn,
  random: () => 0.5,
  env,
  now: clock.now,
  monotonic: clock.monotonic,
  sleep: clock.sleep,
})
