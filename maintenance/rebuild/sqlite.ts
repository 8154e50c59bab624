import { projections } from '../../projections/index.ts'
import { markCurrent, modelTables } from '../../projections/models.ts'
import type { Projection } from '../../projections/projection.ts'
import {
  replayFrom,
  type MAX_BATCH,
  type ReadBatch,
  type Replay,
  type ReplayPosition,
} from '../../projections/replay.ts'
import {
  createShadowTables,
  hasShadowTables,
  indexShadowTables,
  rebuildPlan,
  removeTables,
  swapShadowTables,
  toShadowTables,
  type SwapStep,
} from '../../storage/sqlite/shadow-tables.ts'
import {
  findUnfinishedRebuild,
  holdRebuild,
  isSameLog,
  noteRebuildPosition,
  noteRebuildStart,
  takeRebuild,
} from './progress.ts'
import { DocumentAway, type MovedDocuments } from '../../storage/objects/moved-documents.ts'
import { statement } from '../../storage/sql.ts'
import type { SqliteWriter } from '../../storage/sqlite/storage.ts'
import { noSteps, runSync, type Steps } from '../../storage/commit/steps.ts'
import type { Statement } from '../../storage/storage.ts'
import { SWAP_BATCH, type Swapped } from './build.ts'

export type RebuildStep = 'started' | 'replayed' | SwapStep | 'swapped' | 'removed'

type Options = {
  /** The read models; default: all. They must include what each must be built together with. */
  readonly models?: readonly Projection[]
  /** The size of one transaction; specs make it smaller. */
  readonly batch?: typeof MAX_BATCH
  /** Documents that were moved into objects. Without it, one of them ends the rebuild. */
  readonly moved?: MovedDocuments | undefined
  /** Called for each step on its open transaction, for fault injection. */
  readonly observe?: (step: RebuildStep) => void
}

/** Commits between the transactions of a build leave its indexes no time at the end, so they are created at the start. */
type BuildOptions = Options & { readonly isLive?: boolean }

/** The only process that has the file is the only holder of its rebuild. */
const HOLDER = 'file'

class TooFarBehind extends Error {}

/**
 * Begins or resumes a `Build` in a file, whose steps do not wait for anything. Returns null if it has only removed a part of the tables of an
 * earlier build: then call it again. A build that was started for other read models, versions or tables, or with another
 * log, starts over.
 */
export const beginFileBuild = (
  writer: SqliteWriter,
  { models = projections, batch, moved, observe = () => {}, isLive = false }: BuildOptions = {},
) => {
  const { connection, exclusively } = writer
  const { database, read } = connection
  const tables = modelTables(models)
  const started = withoutSync(writer, () =>
    exclusively(() => {
      const from = startOrResume(writer, { models, tables, isLive })
      if (from !== null) observe('started')
      return from
    }),
  )
  if (started === null) return null
  let position = started
  const redirect = toShadowTables(tables)
  const run = (change: Statement): void => connection.run(redirect(change))
  const beforeFirstDeletion = (): Steps<void> => {
    indexShadowTables(database, tables)
    return noSteps()
  }
  const replayAt = (from: number, limits = batch): Replay =>
    replayFrom(from, { models, beforeFirstDeletion, moved, ...(limits ? { batch: limits } : {}) })
  let replayer = replayAt(position)

  /** Replays steps in an open transaction into the tables, which are at `from`. */
  const replayInto = (from: number, steps: Steps<ReplayPosition>): ReplayPosition => {
    runSync(holdRebuild(HOLDER, from), connection)
    const reached = runSync(steps, { read, run })
    runSync(noteRebuildPosition(reached.position), connection)
    observe('replayed')
    return reached
  }
  const replay = (given?: ReadBatch): ReplayPosition => {
    const from = position
    try {
      const reached = withoutSync(writer, () =>
        exclusively(() => replayInto(from, given ? replayer.replay(given) : replayer.next())),
      )
      position = reached.position
      return reached
    } catch (error) {
      // The transaction is rolled back, so the same records are replayed again.
      replayer = replayAt(from)
      throw error
    }
  }
  const tryToSwap = (): number | null => {
    const from = position
    try {
      return exclusively(() => {
        const reached = replayInto(from, replayAt(from, SWAP_BATCH).next())
        if (reached.position < reached.size) throw new TooFarBehind()
        swapShadowTables(database, tables, observe)
        for (const change of markCurrent(reached.position, models)) connection.run(change)
        connection.run(statement`DELETE FROM rebuilds`)
        observe('swapped')
        return reached.position
      })
    } catch (error) {
      if (error instanceof TooFarBehind || error instanceof DocumentAway) return null
      throw error
    }
  }
  let longestWaitMs = 0
  const swap = (): Swapped | null => {
    const started = performance.now()
    const swapped = tryToSwap()
    longestWaitMs = Math.max(longestWaitMs, performance.now() - started)
    return swapped === null ? null : { position: swapped, longestWaitMs }
  }
  return {
    models,
    position: () => position,
    replay,
    index: () => exclusively(() => indexShadowTables(database, tables)),
    swap,
    removeReplaced: () => removeReplaced(writer, observe),
  }
}

/** Removes a part of the tables that a build replaced; false if nothing is left. */
export const removeReplaced = (writer: SqliteWriter, observe: (step: RebuildStep) => void = () => {}): boolean =>
  withoutSync(writer, () =>
    writer.exclusively(() => {
      const isLeft = removeTables(writer.connection.database, { withShadow: false })
      observe('removed')
      return isLeft
    }),
  )

type RebuildOptions = Options & { readonly progress?: (reached: ReplayPosition) => void }

/** The steps of a rebuild. Yields a moved document that must be fetched before it goes on. */
function* rebuilding(
  writer: SqliteWriter,
  { progress = () => {}, ...options }: RebuildOptions,
): Generator<DocumentAway, number, void> {
  let build = beginFileBuild(writer, options)
  while (build === null) build = beginFileBuild(writer, options)
  for (;;) {
    try {
      const reached = build.replay()
      progress(reached)
      if (reached.position < reached.size) continue
    } catch (error) {
      if (!(error instanceof DocumentAway)) throw error
      yield error
      continue
    }
    build.index()
    const swapped = build.swap()
    if (swapped === null) continue
    while (build.removeReplaced());
    return swapped.position
  }
}

/**
 * Rebuilds read tables (default: all) from the log, next to the live tables, in transactions of bounded size. At the end,
 * one transaction swaps all tables; until then the live tables are unchanged. After an interruption the next call
 * resumes, even if the log has grown. Returns the position reached. Throws `DocumentAway` if a document was moved: see `rebuildWithMoved`.
 */
export const rebuildTables = (writer: SqliteWriter, options: RebuildOptions = {}): number => {
  const next = rebuilding(writer, options).next()
  if (!next.done) throw next.value
  return next.value
}

/** Like `rebuildTables`, and fetches moved documents between two transactions. */
export const rebuildWithMoved = async (
  writer: SqliteWriter,
  options: RebuildOptions & { readonly moved: MovedDocuments },
): Promise<number> => {
  const steps = rebuilding(writer, options)
  let next = steps.next()
  for (; !next.done; next = steps.next()) await options.moved.fetch(next.value)
  return next.value
}

/**
 * Runs a transaction that does not wait for the disk. What it writes is unused before the swap, or no longer used, and the
 * swap is an ordinary commit. WAL mode preserves the order of commits, so the recorded progress is never ahead of the
 * rows.
 */
const withoutSync = <T>({ connection: { database } }: SqliteWriter, work: () => T): T => {
  database.pragma('synchronous = NORMAL')
  try {
    return work()
  } finally {
    database.pragma('synchronous = FULL')
  }
}

/**
 * Returns the position to resume an unfinished rebuild from, or prepares a new one and returns 0. Null if tables of an
 * earlier build are left: then it has removed a part of them.
 */
const startOrResume = (
  { connection }: SqliteWriter,
  { models, tables, isLive }: { models: readonly Projection[]; tables: readonly string[]; isLive: boolean },
): number | null => {
  const { database, read, run } = connection
  const names = models.map(({ name }) => name)
  const plan = rebuildPlan(
    database,
    tables,
    models.map(({ name, version }) => [name, version]),
  )
  const unfinished = read(findUnfinishedRebuild)
  const isResumed =
    unfinished?.plan === plan && runSync(isSameLog(unfinished), connection) && hasShadowTables(database, tables)
  run(statement`UPDATE rebuilds SET holder = NULL`)
  runSync(takeRebuild(HOLDER), connection)
  // From here on, the tables of the unfinished rebuild cannot be resumed.
  if (!isResumed) run(noteRebuildStart('', names))
  if (removeTables(database, { withShadow: !isResumed })) return null
  if (!isResumed) {
    createShadowTables(database, tables)
    run(noteRebuildStart(plan, names))
  }
  if (isLive) indexShadowTables(database, tables)
  return isResumed ? unfinished.position : 0
}

/** The progress of an unfinished rebuild, or null. */
export const unfinishedRebuild = ({
  connection: { read },
  head,
}: Pick<SqliteWriter, 'connection' | 'head'>): ReplayPosition | null => {
  const unfinished = read(findUnfinishedRebuild)
  return unfinished && { position: unfinished.position, size: head().size }
}
