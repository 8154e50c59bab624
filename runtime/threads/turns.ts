import type { Caller } from './turn-taker.ts'
import { TooManyReads } from '../../queries/too-many-reads.ts'

/** What has its turn, and whose it is. */
export type Started<T> = { readonly taker: string; readonly work: T }

export type FairQueue<T> = {
  /**
   * Lets work wait for its turn. Throws `TooManyReads` where its taker has too much waiting; `bounded: false` is for
   * work that goes on.
   */
  readonly enter: (taker: Caller, work: T, bounded?: boolean) => void
  /** Takes work out that waits no more. Answers whether it was still waiting. */
  readonly leave: (taker: Caller, work: T) => boolean
  /** The work whose turn it is, which runs from now on; undefined where none may begin. */
  readonly next: () => Started<T> | undefined
  /** Work of a taker ended. */
  readonly done: (taker: string) => void
  readonly waiting: () => number
  /** Takes out all that waits. */
  readonly clear: () => T[]
}

/**
 * Takers are served in a circle, one piece of work each, in the order in which they came. While several wait, none runs
 * more than half of the places (one at least), so that a caller with a hundred long reads leaves room for the others.
 */
export const fairQueue = <T>(places: number): FairQueue<T> => {
  const share = Math.max(1, Math.floor(places / 2))
  /** In the order of their turns. */
  const queues = new Map<string, T[]>()
  const running = new Map<string, number>()
  let waiting = 0
  const runs = (name: string): number => running.get(name) ?? 0

  const begin = (name: string, queue: T[]): Started<T> | undefined => {
    const work = queue.shift()
    queues.delete(name)
    if (work === undefined) return undefined
    if (queue.length > 0) queues.set(name, queue)
    waiting--
    running.set(name, runs(name) + 1)
    return { taker: name, work }
  }

  return {
    enter: ({ name, mostWaiting }, work, bounded = true) => {
      const queue = queues.get(name) ?? []
      if (bounded && queue.length >= mostWaiting)
        throw new TooManyReads(`too many reads of this caller are waiting: at most ${mostWaiting}`)
      queue.push(work)
      queues.set(name, queue)
      waiting++
    },
    leave: ({ name }, work) => {
      const queue = queues.get(name) ?? []
      const place = queue.indexOf(work)
      if (place < 0) return false
      queue.splice(place, 1)
      waiting--
      if (queue.length === 0) queues.delete(name)
      return true
    },
    next: () => {
      const alone = queues.size === 1
      for (const [name, queue] of queues) if (alone || runs(name) < share) return begin(name, queue)
      return undefined
    },
    done: (name) => {
      const left = runs(name) - 1
      if (left > 0) running.set(name, left)
      else running.delete(name)
    },
    waiting: () => waiting,
    clear: () => {
      const all = [...queues.values()].flat()
      queues.clear()
      waiting = 0
      return all
    },
  }
}
