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
import { nothing, runAtOnce } from '../../storage/commit/steps.ts'
import type { Steps } from '../../storage/commit/steps.ts'
import type { Statement } from '../../storage/storage.ts'

export type RebuildStep = 'begun' | 'replayed' | SwapStep | 'swapped'

type Options = {
  readonly progress?: (reached: ReplayPosition) => void
  /** What one transaction takes, where a spec wants it smaller. */
  readonly batch?: { readonly records: number; readonly bytes: number }
  /** Told each step on its open transaction: for injected faults. */
  readonly observe?: (step: RebuildStep) => void
}

/**
 * Makes every read table anew from the log, beside the live ones, in transactions of bounded size, and swaps them in at
 * the end in one. Until then the live tables are as they were. Broken off at any point, the next call goes on where
 * this one was, also when the log has grown meanwhile; what was begun for other versions, other tables or another log
 * is begun anew. Answers the position reached.
 */
export const rebuildTables = (
  writer: SqliteWriter,
  { progress = () => {}, batch, observe = () => {} }: Options = {},
): number => {
  const { connection, exclusively } = writer
  const { database, read } = connection
  // What is built counts for nothing before the swap, which is a commit like any other: so its parts need no fsync
  // each. In WAL mode the order of commits stands all the same, so progress is never ahead of what was built.
  database.pragma('synchronous = NORMAL')
  try {
    let position = exclusively(() => {
      const from = begin(writer)
      observe('begun')
      return from
    })
    const fresh = toShadowTables(readTables)
    const onDeletion = (): Steps<void> => {
      indexShadowTables(database, readTables)
      return nothing()
    }
    const { next } = replayFrom(position, { onDeletion, ...(batch ? { batch } : {}) })
    const run = (each: Statement): void => connection.run(fresh(each))
    let reached: ReplayPosition
    do {
      reached = exclusively(() => {
        const to = runAtOnce(next(), { read, run })
        runAtOnce(noteRebuildPosition(position, to.position), connection)
        observe('replayed')
        return to
      })
      position = reached.position
      progress(reached)
    } while (position < reached.size)
    database.pragma('synchronous = FULL')
    exclusively(() => {
      swapShadowTables(database, readTables, observe)
      for (const each of markCurrent(position)) connection.run(each)
      connection.run(statement`DELETE FROM rebuilds`)
      observe('swapped')
    })
    return position
  } finally {
    database.pragma('synchronous = FULL')
  }
}

/** Where to go on from: the position of what was begun, when that is still of use, else the beginning. */
const begin = ({ connection }: SqliteWriter): number => {
  const { database, read } = connection
  const plan = planOf(
    database,
    readTables,
    projections.map(({ name, version }) => [name, version]),
  )
  const begun = read(findUnfinishedRebuild)
  if (begun?.plan === plan && runAtOnce(isSameLog(begun), connection) && hasShadowTables(database, readTables))
    return begun.position
  createShadowTables(database, readTables)
  runAtOnce(noteRebuildStart(plan), connection)
  return 0
}

/** How far a rebuild is that was begun and never finished, or null. */
export const unfinishedRebuild = ({
  connection: { read },
  head,
}: Pick<SqliteWriter, 'connection' | 'head'>): ReplayPosition | null => {
  const begun = read(findUnfinishedRebuild)
  return begun && { position: begun.position, size: head().size }
}
