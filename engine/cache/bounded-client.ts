import type { Ports } from '../ports.ts'
import { DeadlineExceeded, withDeadline } from '../providers/wire/deadline.ts'
import { CacheUnavailable, type CacheClient } from './client.ts'

/** A cache whose reads and writes fail after a time limit, so that one that hangs cannot stop a run. */
export const boundedCacheClient = (client: CacheClient, limitMs: number, sleep: Ports['sleep']): CacheClient => {
  const bounded = async <T>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    try {
      return await withDeadline(sleep, limitMs, signal ?? new AbortController().signal, work)
    } catch (error) {
      if (!(error instanceof DeadlineExceeded)) throw error
      throw new CacheUnavailable(`the shared cache gave no answer within ${limitMs / 1000} seconds`, { cause: error })
    }
  }
  return {
    get: (key, signal) => bounded(signal, (callSignal) => client.get(key, callSignal)),
    put: (key, bytes, signal) => bounded(signal, (callSignal) => client.put(key, bytes, callSignal)),
  }
}
