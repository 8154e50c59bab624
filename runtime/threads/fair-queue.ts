import type { Caller } from './caller.ts'
import { TooManyReads } from '../../queries/too-many-reads.ts'

/** Work that was started, and the name of its caller. */
export type Started<T> = { readonly caller: string; readonly work: T }

export type FairQueue<T> = {
  /**
   * Queues work. Throws `TooManyReads` if its caller has too much work waiting; `bounded: false` is for work that
   * continues a response.
   */
  readonly enter: (caller: Caller, work: T, bounded?: boolean) => void
  /** Removes work that waits. Returns whether it was still waiting. */
  readonly leave: (caller: Caller, work: T) => boolean
  /** The next work, which counts as running from now on; undefined if none may start. */
  readonly next: () => Started<T> | undefined
  /** Notes that one piece of work of a caller has ended. */
  readonly done: (caller: string) => void
  /** How many pieces of work wait, of all callers. */
  readonly waiting: () => number
  /** Removes and returns everything that waits. */
  readonly clear: () => T[]
}

/**
 * Serves callers round-robin, one piece of work each, in the order in which they arrived. While several callers wait,
 * none may use more than half of the slots (but at least one), so a caller with many long reads leaves room for the
 * others. A caller that waits alone leaves one slot free if there are several: work cannot be interrupted, so the next
 * caller would otherwise wait for it. The price: with two slots, a caller has one long read at a time. `p-queue` does not
 * fit: it orders by priority, knows no callers, and never withholds work from a free slot.
 */
export const fairQueue = <T>(slots: number): FairQueue<T> => {
  const share = Math.max(1, Math.floor(slots / 2))
  const shareAlone = Math.max(1, slots - 1)
  /** Waiting work by caller, in the order in which the callers are served. */
  const queues = new Map<string, T[]>()
  const running = new Map<string, number>()
  let waiting = 0
  const runningOf = (name: string): number => running.get(name) ?? 0

  const start = (name: string, queue: T[]): Started<T> | undefined => {
    const work = queue.shift()
    // Deleting the caller and setting it again moves it to the end of the map.
    queues.delete(name)
    if (work === undefined) return undefined
    if (queue.length > 0) queues.set(name, queue)
    waiting--
    running.set(name, runningOf(name) + 1)
    return { caller: name, work }
  }

  return {
    enter: ({ name, maxWaiting }, work, bounded = true) => {
      const queue = queues.get(name) ?? []
      if (bounded && queue.length >= maxWaiting)
        throw new TooManyReads(`too many reads of this caller are waiting: at most ${maxWaiting}`)
      queue.push(work)
      queues.set(name, queue)
      waiting++
    },
    leave: ({ name }, work) => {
      const queue = queues.get(name) ?? []
      const index = queue.indexOf(work)
      if (index < 0) return false
      queue.splice(index, 1)
      waiting--
      if (queue.length === 0) queues.delete(name)
      return true
    },
    next: () => {
      const most = queues.size === 1 ? shareAlone : share
      for (const [name, queue] of queues) if (runningOf(name) < most) return start(name, queue)
      return undefined
    },
    done: (name) => {
      const left = runningOf(name) - 1
      if (left > 0) running.set(name, left)
      else running.delete(name)
    },
    waiting: () => waiting,
    clear: () => {
      const works = [...queues.values()].flat()
      queues.clear()
      waiting = 0
      return works
    },
  }
}
