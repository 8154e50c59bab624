import { spawn } from 'node:child_process'
import type { Ports } from '../../engine/ports.ts'
import { createHttpClient } from './http-client.ts'
import { fetchOver } from './http-fetch.ts'

/** The ports of an evaluation on the command line. Throws `UsageError`: see `createHttpClient`. */
export const enginePorts = (env: Ports['env']): Ports => {
  const http = createHttpClient(env)
  return {
    http,
    fetch: fetchOver(http),
    spawn,
    now: Date.now,
    monotonic: () => performance.now(),
    random: Math.random,
    sleep,
    env,
  }
}

/** The timer of `node:timers/promises` makes an error with a stack for each sleep that ends early: one for every call. */
const sleep: Ports['sleep'] = (ms, signal) =>
  new Promise((resolve, reject) => {
    // The reason may be any value: it is passed on as it is.
    if (signal?.aborted) return void reject(signal.reason as Error)
    const onAbort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
