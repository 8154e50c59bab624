import { setTimeout as sleep } from 'node:timers/promises'
import { ulid } from 'ulid'
import { projections } from '../../projections/index.ts'
import {
  listReadModels,
  markCurrent,
  newerProjections,
  modelTables,
  type StoredModel,
} from '../../projections/models.ts'
import type { Projection } from '../../projections/projection.ts'
import { replayFrom, type MAX_BATCH, type ReplayPosition, type Replay } from '../../projections/replay.ts'
import { ask, runAsync, write, type Steps } from '../../storage/commit/steps.ts'
import { SchemaMismatch, Superseded, Unavailable } from '../../storage/errors.ts'
import { databaseCode } from '../../storage/postgres/errors.ts'
import type { PostgresConnection } from '../../storage/postgres/pool.ts'
import { inTransaction, setPath } from '../../storage/postgres/session.ts'
import {
  analyzeAll,
  createShadowTables,
  emptySchema,
  findRights,
  findSchema,
  shadowSchema,
  hasShadowTables,
  indexShadowTables,
  rebuildPlan,
  swapShadowTables,
  type SwapStep,
} from '../../storage/postgres/shadow-tables.ts'
import { BEGIN, TAKE_LOG } from '../../storage/postgres/storage.ts'
import { DocumentAway, withMoved, type MovedDocuments } from '../../storage/objects/moved-documents.ts'
import { sql, statement } from '../../storage/sql.ts'
import { SWAP_BATCH, type Build, type Swapped } from './build.ts'
import {
  findUnfinishedRebuild,
  holdRebuild,
  LEASE_MS,
  isSameLog,
  noteRebuildStart,
  noteRebuildPosition,
  RebuildVoid,
  releaseRebuild,
  takeRebuild,
} from './progress.ts'

export type DatabaseRebuildStep = 'started' | 'replayed' | 'indexed' | SwapStep | 'swapped'

type Options = {
  /** The read models; default: all. They must include what each must be built together with. */
  readonly models?: readonly Projection[]
  /** The size of one transaction; specs make it smaller. */
  readonly batch?: typeof MAX_BATCH
  /** Called for each step on its open transaction, for fault injection and concurrent work in specs. */
  readonly observe?: (step: DatabaseRebuildStep) => void | Promise<void>
  /** Documents that were moved into objects. Without it, one of them ends the rebuild. */
  readonly moved?: MovedDocuments | undefined
  /** Whether there is anything to do, asked once no other holder can finish it meanwhile. */
  readonly isNeeded?: () => Promise<boolean>
  /** Renews the time of the holder on another connection, while indexes are created. */
  readonly renew?: () => Promise<void>
}

/** How often a rebuild tries to swap, and how long it pauses in between to let reads proceed. */
const MAX_SWAP_TRIES = 240
const SWAP_PAUSE_MS = 500

/** How often a rebuild looks whether the replica that holds it has finished or died. */
const HELD_PAUSE_MS = 1_000

// One snapshot per batch: concurrent writers may record deletions and remove the documents meanwhile. No batch waits
// for the disk, because its rows are unused before the swap. PostgreSQL still writes the commits to disk in order.
const BATCH_BEGIN = 'BEGIN ISOLATION LEVEL REPEATABLE READ'
const UNSYNCED = 'SET LOCAL synchronous_commit = off'
// Through a pooler, the session has the limit of the role.
const UNLIMITED = 'SET LOCAL statement_timeout = 0'

// A frozen process must not keep the rebuild, or what it has locked.
const LIMITED_WAIT = "SET LOCAL idle_in_transaction_session_timeout = '20s'"

class TooFarBehind extends Error {}

type Place = {
  readonly live: string
  readonly fresh: string
  readonly models: readonly Projection[]
  readonly tables: readonly string[]
}

/**
 * Begins or resumes a `Build` in a schema next to the live one, while others read and write. Returns null if another
 * holder keeps a rebuild, or has finished it. A build that was started for other read models, versions or tables, or with another log, starts
 * over. Throws `SchemaMismatch` for a role without the rights, and `Superseded` if a newer build wrote the read tables.
 * The session must have no other use.
 */
export const beginDatabaseBuild = async (
  session: PostgresConnection,
  holder: string,
  {
    models = projections,
    batch,
    moved,
    observe = () => {},
    isNeeded = async () => true,
    renew = async () => {},
  }: Options = {},
): Promise<Build | null> => {
  const { run, control, read } = session
  const live = await read(findSchema)
  const place = { live, fresh: shadowSchema(live), models, tables: modelTables(models) }
  const { fresh, tables } = place
  await checkRights(session, place)
  const started = await inTransaction(session, BEGIN, async () => {
    await control(LIMITED_WAIT)
    if (!(await runAsync(takeRebuild(holder), session))) return null
    if (!(await isNeeded())) {
      await run(releaseRebuild(holder))
      return null
    }
    const from = await runAsync(startOrResume(place), session)
    await observe('started')
    return from
  })
  if (started === null) return null
  let position = started
  const replayAt = (from: number, limits = batch): Replay =>
    replayFrom(from, {
      models,
      beforeFirstDeletion: () => indexShadowTables(live, fresh, tables),
      moved,
      ...(limits ? { batch: limits } : {}),
    })
  let replayer = replayAt(position)
  /** Replays steps on the open transaction into the tables, which are at `from`. */
  const replayInto = async (from: number, steps: Steps<ReplayPosition>): Promise<ReplayPosition> => {
    await runAsync(holdRebuild(holder, from), session)
    await run(setPath(fresh, live))
    const reached = await runAsync(steps, session)
    await runAsync(noteRebuildPosition(reached.position), session)
    await observe('replayed')
    return reached
  }
  const tryToSwap = (onLocked: () => void): Promise<number> =>
    inTransaction(session, BEGIN, async () => {
      await run(TAKE_LOG)
      onLocked()
      rejectNewer(await read(listReadModels))
      const reached = await replayInto(position, replayAt(position, SWAP_BATCH).next())
      if (reached.position < reached.size) throw new TooFarBehind()
      const seen: SwapStep[] = []
      await runAsync(
        swapShadowTables(live, fresh, tables, (step) => void seen.push(step)),
        session,
      )
      for (const step of seen) await observe(step)
      for (const change of markCurrent(reached.position, models)) await run(change)
      await run(statement`DELETE FROM rebuilds`)
      await observe('swapped')
      return reached.position
    })
  let longestWaitMs = 0
  const swap = async (): Promise<Swapped> => {
    let lockedAt = Infinity
    let reached: number
    try {
      reached = await tryToSwap(() => (lockedAt = performance.now()))
    } finally {
      longestWaitMs = Math.max(longestWaitMs, performance.now() - lockedAt)
    }
    return { position: reached, longestWaitMs }
  }

  return {
    models,
    position: () => position,
    replay: async (given) => {
      try {
        const reached = await inTransaction(session, given ? BEGIN : BATCH_BEGIN, async () => {
          await control(UNSYNCED)
          await control(LIMITED_WAIT)
          return replayInto(position, given ? replayer.replay(given) : replayer.next())
        })
        position = reached.position
        return reached
      } catch (error) {
        // The transaction is rolled back, so the same records are replayed again.
        replayer = replayAt(position)
        throw error
      }
    },
    // All indexes at once, after the rows: much faster than with each row.
    index: async () => {
      // If it fails, the next batch finds out whether another holder has taken the rebuild.
      const renewing = setInterval(() => void renew().catch(() => {}), LEASE_MS / 3)
      try {
        await inTransaction(session, BEGIN, async () => {
          await control(UNSYNCED)
          await control(UNLIMITED)
          await runAsync(indexShadowTables(live, fresh, tables), session)
          await runAsync(analyzeAll(fresh, tables), session)
          await observe('indexed')
        })
      } finally {
        clearInterval(renewing)
      }
    },
    swap: async () => {
      try {
        const swapped = await swap()
        await dropSchema(session, fresh)
        return swapped
      } catch (error) {
        if (!(error instanceof TooFarBehind || error instanceof DocumentAway) && !isLockConflict(error)) throw error
        return null
      }
    },
    // The swap has dropped them.
    removeReplaced: () => false,
  }
}

/**
 * Rebuilds read tables (default: all) from the log while others read and write, as `beginDatabaseBuild` describes. Waits
 * until no other holder rebuilds. An erasure makes the rebuild start over: it may have replayed what was erased. Returns
 * the position reached, or null if `isNeeded` says, after the wait, that there is nothing to do.
 */
export const rebuildDatabase = async (
  session: PostgresConnection,
  {
    progress = () => {},
    isNeeded = async () => true,
    holder = ulid(),
    ...options
  }: Options & {
    readonly progress?: (reached: ReplayPosition) => void
    readonly holder?: string
  } = {},
): Promise<number | null> => {
  while (await isNeeded()) {
    const build = await beginDatabaseBuild(session, holder, { ...options, isNeeded })
    if (!build) {
      await sleep(HELD_PAUSE_MS)
      continue
    }
    try {
      return await finishBuild(build, progress, options.moved)
    } catch (error) {
      // In a snapshot, the same is reported as a conflict.
      if (!(error instanceof RebuildVoid) && databaseCode(error) !== '40001') throw error
    } finally {
      await session.run(releaseRebuild(holder))
    }
  }
  return null
}

const finishBuild = async (
  build: Build,
  progress: (reached: ReplayPosition) => void,
  moved: MovedDocuments | undefined,
): Promise<number> => {
  for (let attempt = 0; attempt <= MAX_SWAP_TRIES; attempt++) {
    let reached: ReplayPosition
    do {
      reached = await withMoved(moved, () => build.replay())
      progress(reached)
    } while (reached.position < reached.size)
    if (attempt === 0) await build.index()
    else {
      const swapped = await build.swap()
      if (swapped !== null) return swapped.position
      await sleep(SWAP_PAUSE_MS)
    }
  }
  throw new Unavailable('reads have held the read tables for too long to replace them')
}

/** Throws `Superseded` if a newer build wrote read tables. */
export const rejectNewer = (stored: readonly StoredModel[]): void => {
  const newer = newerProjections(stored)
  if (newer.length > 0)
    throw new Superseded(`the read tables of ${newer.join(', ')} were written by a newer build than this one`)
}

/** Returns the position to resume an unfinished rebuild from, or prepares a new one and returns 0. */
function* startOrResume({ live, fresh, models, tables }: Place): Steps<number> {
  const plan = yield* rebuildPlan(
    live,
    tables,
    models.map(({ name, version }) => [name, version]),
  )
  const unfinished = yield* ask(findUnfinishedRebuild)
  if (unfinished?.plan === plan && (yield* isSameLog(unfinished)) && (yield* hasShadowTables(fresh, tables)))
    return unfinished.position
  yield* emptySchema(fresh)
  yield* createShadowTables(live, fresh, tables)
  yield* write(
    noteRebuildStart(
      plan,
      models.map(({ name }) => name),
    ),
  )
  return 0
}

const checkRights = async ({ read }: PostgresConnection, { live, fresh, tables }: Place): Promise<void> => {
  const { owned, make: mayCreate, there: exists, database, role } = await read(findRights(live, fresh, tables))
  if (!owned)
    throw new SchemaMismatch(`the read tables belong to another role than ${role}: let that role run "ers rebuild"`)
  if (!mayCreate && !exists)
    throw new SchemaMismatch(
      `the role ${role} needs a separate schema to rebuild the read tables, and may not create one: GRANT CREATE ON DATABASE "${database}" TO "${role}"`,
    )
}

/** Drops an empty schema. One that belongs to another role stays, which does no harm. */
const dropSchema = async ({ run }: PostgresConnection, schema: string): Promise<void> => {
  try {
    await run(statement`DROP SCHEMA ${sql.identifier([schema])}`)
  } catch (error) {
    if (databaseCode(error) !== '42501') throw error
  }
}

/** Whether a read held a table for too long, or the swap and a read waited for each other. */
const isLockConflict = (error: unknown): boolean => /^(57014|40P01|40001)$/.test(databaseCode(error) ?? '')
