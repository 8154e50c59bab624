import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { publishedChanges, type PublishedChange } from '../commands/changes.ts'
import { listRecords, recordedOf } from '../storage/log/records.ts'
import type { Reader } from '../storage/storage.ts'

/** Maximum number of events that a reader may be behind; with more, it fetches everything again. */
export const MAX_EVENTS_BEHIND = 10_000

/** Records that one statement reads. */
const RECORDS_PER_QUERY = 500

/** The changes of the events after `from`, up to `to`; null if they change everything. */
export type Batch = { readonly from: number; readonly to: number; readonly changes: readonly PublishedChange[] | null }

export type ChangeFeed = {
  /** Adds what commits changed. Call it after the responses that the commits invalidate are invalid. */
  readonly publish: (batch: Batch) => void
  /** Passes every later batch to the listener, until the returned function is called. */
  readonly subscribe: (listener: (batch: Batch) => void) => () => void
  /** The position up to which batches were published. */
  readonly position: () => number
  /**
   * The changes after an earlier position, up to `position()` at the time of the call. Null if they cannot be listed:
   * there are more than `MAX_EVENTS_BEHIND`, they change everything, or the position is not of this log.
   */
  readonly since: (position: number, reader: Pick<Reader, 'read'>) => Promise<readonly PublishedChange[] | null>
}

/**
 * What commits change, in the order of the log. The batches of the last `MAX_EVENTS_BEHIND` events stay in memory, so
 * that many readers can resume at the same time. Events from before the start are read from the log once.
 */
export const changeFeed = (): ChangeFeed => {
  let position = 0
  let recent: Batch[] = []
  let loading: Promise<void> | null = null
  const listeners = new Set<(batch: Batch) => void>()

  const forgetOld = (): void => {
    const old = recent.findIndex(({ to }) => to > position - MAX_EVENTS_BEHIND)
    if (old > 0) recent = recent.slice(old)
    else if (old < 0) recent = []
  }

  /** Reads the events before the oldest batch in memory. */
  const load = async (reader: Pick<Reader, 'read'>): Promise<void> => {
    const end = recent[0]?.from ?? position
    const earlier: Batch[] = []
    for (let from = Math.max(0, position - MAX_EVENTS_BEHIND); from < end; from += RECORDS_PER_QUERY) {
      const count = Math.min(RECORDS_PER_QUERY, end - from)
      const recorded = (await reader.read(listRecords(from, count))).map(recordedOf)
      const isWhole = recorded.length === count && !recorded.includes(null)
      // The body of an erased event may have named anything.
      const changes = isWhole ? publishedChanges(recorded.flatMap((event) => event ?? [])) : null
      earlier.push({ from, to: from + count, changes })
      await yieldToEventLoop()
    }
    if ((recent[0]?.from ?? position) === end) recent = [...earlier, ...recent]
  }

  return {
    publish: (batch) => {
      // An older copy of the database replaced it: no earlier position means anything.
      if (batch.to < position) recent = []
      position = batch.to
      recent.push(batch)
      // Not at each commit, since it copies the array.
      if (recent.length > 2 * MAX_EVENTS_BEHIND) forgetOld()
      for (const listener of listeners) listener(batch)
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    position: () => position,
    since: async (after, reader) => {
      const until = position
      if (after > until || until - after > MAX_EVENTS_BEHIND) return null
      if (after === until) return []
      if ((recent[0]?.from ?? until) > after) {
        loading ??= load(reader).finally(() => (loading = null))
        await loading
      }
      if ((recent[0]?.from ?? until) > after) return null
      const changes: PublishedChange[] = []
      for (const batch of recent) {
        if (batch.to <= after || batch.from >= until) continue
        if (batch.changes === null) return null
        changes.push(...batch.changes.filter(({ seq }) => seq > after && seq <= until))
      }
      return changes
    },
  }
}
