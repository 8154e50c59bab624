import PQueue from 'p-queue'
import { Busy } from '../../storage/errors.ts'

/** Imports that wait while another one runs. */
const MAX_WAITING = 2

/** Runs one import at a time: a conversion takes a core, and memory for a whole document. */
export type ImportQueue = {
  /**
   * Runs the work when no other runs. Throws `Busy` if two imports wait already. Rejects when the signal aborts, and then
   * does not start work that waits.
   */
  readonly run: <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>
}

export const importQueue = (): ImportQueue => {
  const queue = new PQueue({ concurrency: 1 })
  return {
    run: async (work, signal) => {
      if (queue.size >= MAX_WAITING) throw new Busy('too many imports are waiting')
      return queue.add(work, { signal })
    },
  }
}
