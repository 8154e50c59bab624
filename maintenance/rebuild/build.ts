import type { Projection } from '../../projections/projection.ts'
import type { ReadBatch, ReplayPosition } from '../../projections/replay.ts'

type Later<T> = T | Promise<T>

/**
 * A build of read models, next to their live tables, in transactions that are short enough for commits in between. Until
 * the swap the live tables are unchanged. After an interruption, the next build resumes.
 */
export type Build = {
  readonly models: readonly Projection[]
  /** The record up to which the new tables contain the log. */
  readonly position: () => number
  /** Replays a batch that was read at the position, or reads the next one itself. */
  readonly replay: (batch?: ReadBatch) => Later<ReplayPosition>
  /** Does what is cheaper after the rows than before: indexes and statistics. */
  readonly index: () => Later<void>
  /**
   * Replays the last records and swaps the tables, while no commit happens. Returns null if too many records came
   * meanwhile, or if reads hold the tables.
   */
  readonly swap: () => Later<Swapped | null>
  /** Removes a part of the replaced tables; false if nothing is left. */
  readonly removeReplaced: () => Later<boolean>
}

/** The position that the swapped tables reached, and the longest time that an attempt to swap made commits wait. */
export type Swapped = { readonly position: number; readonly longestWaitMs: number }

/** What a swap may still replay while commits wait. */
export const SWAP_BATCH = { records: 32, bytes: 512 * 1024 }
