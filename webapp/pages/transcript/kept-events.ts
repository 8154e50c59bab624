import { shallowReactive } from 'vue'
import type { TranscriptEvents } from '../../../queries/transcripts/list-events.ts'

type ListedEvent = TranscriptEvents['events'][number]

/** Characters of events that a page keeps. */
const MAX_KEPT = 64 * 1024 * 1024
/** Events that it keeps whatever their length: those in view. */
const LEAST = 60

/** Keeps events up to a number of characters; those that were not in view for longest are dropped first. Reactive. */
export const keptEvents = (most = MAX_KEPT, least = LEAST) => {
  const events = shallowReactive(new Map<number, ListedEvent>())
  /** The lengths of the events, the one that was in view last at the end. */
  const sizes = new Map<number, number>()
  let sum = 0
  const drop = (n: number): void => {
    sum -= sizes.get(n) ?? 0
    sizes.delete(n)
    events.delete(n)
  }
  return {
    get: (n: number): ListedEvent | null => events.get(n) ?? null,
    has: (n: number): boolean => sizes.has(n),
    add: (event: ListedEvent): void => {
      drop(event.n)
      const size = JSON.stringify(event).length
      events.set(event.n, event)
      sizes.set(event.n, size)
      sum += size
      for (const n of sizes.keys()) {
        if (sum <= most || sizes.size <= least) break
        drop(n)
      }
    },
    /** An event is in view. */
    touch: (n: number): void => {
      const size = sizes.get(n)
      if (size === undefined) return
      sizes.delete(n)
      sizes.set(n, size)
    },
    clear: (): void => {
      events.clear()
      sizes.clear()
      sum = 0
    },
  }
}
