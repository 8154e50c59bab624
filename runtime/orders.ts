import { LRUCache } from 'lru-cache'
import type { Viewer } from '../queries/access/viewer.ts'
import type { LongRead } from '../queries/long-reads.ts'

/** Two compared runs of 10,000 cases take 160 kB, a matrix of 1,000 rows takes 88 kB. The largest run has to fit: 45 MB. */
const MAX_BYTES = 48 * 1024 * 1024

export type Orders<Arguments> = {
  /** The order of a list of runs that the viewer may see; null if one was deleted meanwhile. */
  readonly find: (
    viewer: Viewer,
    runs: ReadonlyArray<{ readonly run_no: number }>,
    args: Arguments,
    signal: AbortSignal,
  ) => Promise<SharedArrayBuffer | null>
}

/**
 * Caches the orders that a long read returns as numbers, for all viewers who may see their runs. It needs no invalidation: the number of a run
 * belongs to one document for ever, and `args` say the rest.
 */
export const orders = <Arguments>(read: LongRead<Arguments>): Orders<Arguments> => {
  const cached = new LRUCache<string, SharedArrayBuffer>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ byteLength }) => byteLength,
  })
  return {
    find: async (viewer, runs, args, signal) => {
      const key = JSON.stringify([runs.map(({ run_no }) => run_no), args])
      const known = cached.get(key)
      if (known) return known
      const answer = await read(viewer, args, signal)
      if (answer === null || typeof answer.body === 'string') return null
      const order = new SharedArrayBuffer(answer.body.byteLength)
      new Uint8Array(order).set(answer.body)
      cached.set(key, order)
      return order
    },
  }
}
