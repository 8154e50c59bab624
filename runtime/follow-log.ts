import { invalidatedBy } from '../commands/tags.ts'
import type { Invalidated } from '../commands/tags.ts'
import { findLogState } from '../storage/log/head.ts'
import { listRecords, recordedOf } from '../storage/log/records.ts'
import type { LogRecord } from '../storage/log/records.ts'
import type { Reader } from '../storage/storage.ts'

/**
 * Records whose tags are read one by one; of more, everything counts as moved. As many as come between two requests of
 * a client that polls.
 */
const MAX_RECORDS_READ = 5_000

/** Records that one statement reads. */
const RECORDS_A_QUERY = 500

export type FollowLog = {
  /**
   * Settles when everything is known that was committed, by whichever replica, before the call: by a read of the log
   * that began after it. All who call while one is under way share the next. Rejects when the log cannot be read.
   */
  readonly caughtUp: () => Promise<void>
  /** The last record that is known. */
  readonly position: () => number
}

type Options = {
  readonly reader: Pick<Reader, 'read'>
  readonly from: number
  /** Told what moved, before `caughtUp` settles; null is everything. */
  readonly onMoved: (moved: readonly Invalidated[] | null, position: number) => void
  /** Told that entries went from the shared cache since the look before, likewise. */
  readonly onRemoved?: () => void
}

/** Follows a log that others write to as well. */
export const followLog = ({ reader, from, onMoved, onRemoved = () => {} }: Options): FollowLog => {
  let position = from
  let removals: number | null = null
  const listAll = async (after: number, last: number): Promise<LogRecord[]> => {
    const found: LogRecord[] = []
    for (let at = after; at < last; at += RECORDS_A_QUERY)
      found.push(...(await reader.read(listRecords(at, Math.min(RECORDS_A_QUERY, last - at)))))
    return found
  }
  const look = async (): Promise<void> => {
    const { size, removals: removed } = await reader.read(findLogState)
    if (removed !== removals) onRemoved()
    removals = removed
    if (size === position) return
    if (size < position) {
      // Another took the place of the database, from before: nothing that is known holds.
      position = size
      onMoved(null, size)
      return
    }
    const records = size - position > MAX_RECORDS_READ ? [] : await listAll(position, size)
    const recorded = records.map(recordedOf)
    const isWhole = records.length === size - position && !recorded.includes(null)
    position = size
    // Of many, and of a record whose body was erased, nobody is told what they moved.
    onMoved(isWhole ? invalidatedBy(recorded.flatMap((each) => each ?? [])) : null, position)
  }

  let running: Promise<void> | null = null
  let next: Promise<void> | null = null
  const begin = (): Promise<void> => {
    const begun = look().finally(() => {
      if (running === begun) running = null
    })
    running = begun
    return begun
  }
  return {
    caughtUp: () => {
      if (!running) return begin()
      // What is under way may have begun before the call.
      const after = (): Promise<void> => {
        next = null
        return begin()
      }
      return (next ??= running.then(after, after))
    },
    position: () => position,
  }
}
