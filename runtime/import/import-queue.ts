import PQueue from 'p-queue'
import { Busy } from '../../storage/errors.ts'

/** Imports that wait while another one runs. */
const MAX_WAITING = 2

/** Runs one import at a time: a conversion takes a core, and memory for a whole document. */
export type ImportQueue = {
  /**
   * Runs the work when no other runs. Throws `Busy` if two imports wait already, or one of the same owner. Rejects when the
   * signal aborts, and then does not start work that waits.
   */
  readonly run: <T>(owner: string, work: () => Promise<T>, signal: AbortSignal) => Promise<T>
}

export const importQueue = (): ImportQueue => {
  const queue = new PQueue({ concurrency: 1 })
  const owners = new Set<string>()
  return {
    run: async (owner, work, signal) => {
      if (queue.pending === 0) return queue.add(work, { signal })
      if (owners.has(owner))
        throw new Busy('an import of this account is waiting already: send the next one when it has ended')
      if (queue.size >= MAX_WAITING) throw new Busy('too many imports are waiting')
      owners.add(owner)
      let isWaiting = true
      const leave = () => {
        // Once this import has started, the entry belongs to the next one of its owner.
        if (isWaiting) owners.delete(owner)
        isWaiting = false
      }
      try {
        return await queue.add(
          () => {
            leave()
            return work()
          },
          { signal },
        )
      } finally {
        leave()
      }
    },
  }
}
