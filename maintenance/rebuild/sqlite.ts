import { projections, readTables } from '../../projections/index.ts'
import { markCurrent, replayFrom } from '../../projections/replay.ts'
import type { ReplayPosition } from '../../projections/replay.ts'
import {
  createShadowTables,
  hasShadowTables,
  indexShadowTables,
  planOf,
  swapShadowTables,
  toShadowTables,
} from '../../storage/sqlite/shadow-tables.ts'
import type { SwapStep } from '../../storage/sqlite/shadow-tables.ts'
import { findUnfinishedRebuild, isSameLog, noteRebuildStart, noteRebuildPosition } from './progress.ts'
import { statement } from '../../storage/sql.ts'
import type { SqliteWriter } from '../../storage/sqlite/storage.ts'
import { noSteps, runSync } from '../../storage/commit/steps.ts'
import type { Steps } from '../../storage/commit/steps.ts'
import type { Statement } from '../../storage/storage.ts'

export type RebuildStep = 'started' | 'replayed' | SwapStep | 'swapped'

type Options = {
  readonly progress?: (reached: ReplayPosition) => void
  /** The size of one transaction; specs make it smaller. */
  readonly batch?: { readonly records: number; readonly bytes: number }
  /** Called for each step on its open transaction, for fault injection. */
  readonly observe?: (step: RebuildStep) => void
}

/**
 * Rebuilds every read table from the log, next to the live tables, in transactions of bounded size. At the end, one
 * transaction swaps all tables; until then the live tables are unchanged. After an interruption the next call resumes,
 * even if the log has grown; if versions, tables or earlier records have changed, it starts over. Returns the position
 * reached.
 */
export const rebuildTables = (
  writer: SqliteWriter,
  { progress = () => {}, batch, observe = () => {} }: Options = {},
): number => {
  const { connection, exclusively } = writer
  const { database, read } = connection
  // Rebuilt rows are unused before the swap, which is an ordinary commit, so the batches need no fsync. WAL mode
  // preserves the order of commits, so the recorded progress is never ahead of the rows.
  database.pragma('synchronous = NORMAL')
  try {
    let position = exclusively(() => {
      const from = startOrResume(writer)
      observe('started')
      return from
    })
    const redirect = toShadowTables(readTables)
    const beforeFirstDeletion = (): Steps<void> => {
      indexShadowTables(database, readTables)
      return noSteps()
    }
    const { next } = replayFrom(position, { beforeFirstDeletion, ...(batch ? { batch } : {}) })
    const run = (change: Statement): void => connection.run(redirect(change))
    let reached: ReplayPosition
    do {
      reached = exclusively(() => {
        const to = runSync(next(), { read, run })
        runSync(noteRebuildPosition(position, to.position), connection)
        observe('replayed')
        return to
      })
      position = reached.position
      progress(reached)
    } while (position < reached.size)
    database.pragma('synchronous = FULL')
    exclusively(() => {
      swapShadowTables(database, readTables, observe)
      for (const change of markCurrent(position)) connection.run(change)
      connection.run(statement`DELETE FROM rebuilds`)
      observe('swapped')
    })
    return position
  } finally {
    database.pragma('synchronous = FULL')
  }
}

/** Returns the position to resume an unfinished rebuild from, or prepares a new one and returns 0. */
const startOrResume = ({ connection }: SqliteWriter): number => {
  const { database, read } = connection
  const plan = planOf(
    database,
    readTables,
    projections.map(({ name, version }) => [name, version]),
  )
  const unfinished = read(findUnfinishedRebuild)
  if (unfinished?.plan === plan && runSync(isSameLog(unfinished), connection) && hasShadowTables(database, readTables))
    return unfinished.position
  createShadowTables(database, readTables)
  runSync(noteRebuildStart(plan), connection)
  return 0
}

/** The progress of an unfinished rebuild, or null. */
export const unfinishedRebuild = ({
  connection: { read },
  head,
}: Pick<SqliteWriter, 'connection' | 'head'>): ReplayPosition | null => {
  const unfinished = read(findUnfinishedRebuild)
  return unfinished && { position: unfinished.position, size: head().size }
}
