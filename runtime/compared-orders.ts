import { LRUCache } from 'lru-cache'
import type { Viewer } from '../queries/access/viewer.ts'
import type { RunLongRead } from '../queries/long-reads.ts'
import type { Run } from '../queries/runs/run.ts'
import type { ComparedOrder } from '../queries/statistics/compared-order.ts'

/** Two runs of 10,000 cases take 160 kB. */
const MAX_BYTES = 16 * 1024 * 1024

export type ComparedOrders = {
  /** The order of the cases of two runs that the viewer may see; null if one was deleted meanwhile. */
  readonly find: (viewer: Viewer, base: Run, head: Run, signal: AbortSignal) => Promise<ComparedOrder | null>
}

/**
 * Caches the order of the cases of two runs, for all viewers who may see both. It needs no invalidation: the number of
 * a run belongs to one document for ever.
 */
export const comparedOrders = (runLongRead: RunLongRead): ComparedOrders => {
  const cached = new LRUCache<string, ComparedOrder>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ byteLength }) => byteLength,
  })
  return {
    find: async (viewer, base, head, signal) => {
      const key = `${base.run_no} ${head.run_no}`
      const known = cached.get(key)
      if (known) return known
      const answer = await runLongRead('comparedOrder', viewer, { base: base.id, head: head.id }, signal)
      if (answer === null || typeof answer.body === 'string') return null
      const shared = new Uint8Array(new SharedArrayBuffer(answer.body.byteLength))
      shared.set(answer.body)
      const order = new Int32Array(shared.buffer)
      cached.set(key, order)
      return order
    },
  }
}
