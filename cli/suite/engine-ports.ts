import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ports } from '../../engine/ports.ts'

/** The world outside, as an evaluation uses it from the command line. */
export const enginePorts = (env: Ports['env']): Ports => ({
  fetch,
  spawn,
  now: Date.now,
  monotonic: () => performance.now(),
  random: Math.random,
  sleep: async (ms, signal) => {
    try {
      await sleep(ms, undefined, signal ? { signal } : {})
    } catch (error) {
      // The timer wraps the reason of the signal.
      signal?.throwIfAborted()
      throw error
    }
  },
  env,
})
