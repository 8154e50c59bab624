import { publishedChanges } from '../commands/changes.ts'
import { invalidatedBy } from '../commands/invalidated.ts'
import type { Invalidated } from '../commands/tags.ts'
import { findLogState } from '../storage/log/head.ts'
import { listRecords, recordedOf, type LogRecord } from '../storage/log/records.ts'
import type { Reader } from '../storage/storage.ts'
import type { Batch } from './change-feed.ts'

/**
 * Maximum number of unseen records that are read for their tags; with more, everything is invalidated. About this many
 * records are written between two requests of a polling client.
 */
const MAX_RECORDS_READ = 5_000

/** Records that one statement reads. */
const RECORDS_PER_QUERY = 500

export type FollowLog = {
  /**
   * Settles when this replica has seen all commits that any replica made before the call. This needs a read of the log
   * that starts after the call. All calls during one read share the next read. Rejects when the log cannot be read.
   */
  readonly caughtUp: () => Promise<void>
  /** The number of records that have been seen. */
  readonly position: () => number
}

type Options = {
  readonly reader: Pick<Reader, 'read'>
  readonly from: number
  /** Called with what new records invalidate and change, before `caughtUp` settles; null is everything. */
  readonly onInvalidated: (tags: readonly Invalidated[] | null, position: number, batch: Batch) => void
  /** Called when entries of the shared cache were deleted since the previous read, before `caughtUp` settles. */
  readonly onEvicted?: () => void
}

/** Follows a log that other replicas write to as well. */
export const followLog = ({ reader, from, onInvalidated, onEvicted = () => {} }: Options): FollowLog => {
  let position = from
  let removals: number | null = null
  const listAll = async (after: number, last: number): Promise<LogRecord[]> => {
    const found: LogRecord[] = []
    for (let start = after; start < last; start += RECORDS_PER_QUERY)
      found.push(...(await reader.read(listRecords(start, Math.min(RECORDS_PER_QUERY, last - start)))))
    return found
  }
  const readNew = async (): Promise<void> => {
    const state = await reader.read(findLogState)
    if (state.removals !== removals) onEvicted()
    removals = state.removals
    const { size } = state
    if (size === position) return
    if (size < position) {
      // The database was replaced by an older copy of it: nothing that was read from it before is valid.
      position = size
      onInvalidated(null, size, { from: size, to: size, changes: null })
      return
    }
    const records = size - position > MAX_RECORDS_READ ? [] : await listAll(position, size)
    const recorded = records.map(recordedOf)
    const isWhole = records.length === size - position && !recorded.includes(null)
    const from = position
    position = size
    // Without the tags of every record (too many records, or an erased body), everything is invalidated.
    const known = isWhole ? recorded.flatMap((record) => record ?? []) : null
    const changes = known && publishedChanges(known)
    onInvalidated(known && invalidatedBy(known), position, { from, to: size, changes })
  }

  let running: Promise<void> | null = null
  let next: Promise<void> | null = null
  const start = (): Promise<void> => {
    const started = readNew().finally(() => {
      if (running === started) running = null
    })
    running = started
    return started
  }
  return {
    caughtUp: () => {
      if (!running) return start()
      // The running read started before the call, so it may miss a commit.
      const after = (): Promise<void> => {
        next = null
        return start()
      }
      return (next ??= running.then(after, after))
    },
    position: () => position,
  }
}
