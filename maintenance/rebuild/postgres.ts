import { setTimeout as sleep } from 'node:timers/promises'
import { projections, readTables } from '../../projections/index.ts'
import { listReadModels, markCurrent, outdatedProjections, replayFrom } from '../../projections/replay.ts'
import type { MAX_BATCH, ReplayPosition, Replay } from '../../projections/replay.ts'
import { ask, runAsync } from '../../storage/commit/steps.ts'
import type { Steps } from '../../storage/commit/steps.ts'
import { SchemaMismatch } from '../../storage/errors.ts'
import { codeOf } from '../../storage/postgres/errors.ts'
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
  planOf,
  swapShadowTables,
} from '../../storage/postgres/shadow-tables.ts'
import type { SwapStep } from '../../storage/postgres/shadow-tables.ts'
import { BEGIN, TAKE_LOG } from '../../storage/postgres/storage.ts'
import { sql, statement } from '../../storage/sql.ts'
import { findUnfinishedRebuild, isSameLog, noteRebuildStart, noteRebuildPosition, RebuildVoid } from './progress.ts'

export type DatabaseRebuildStep = 'started' | 'replayed' | 'indexed' | SwapStep | 'swapped'

type Options = {
  readonly progress?: (reached: ReplayPosition) => void
  /** The size of one transaction; specs make it smaller. */
  readonly batch?: typeof MAX_BATCH
  /** Called for each step on its open transaction, for fault injection and concurrent work in specs. */
  readonly observe?: (step: DatabaseRebuildStep) => void | Promise<void>
  /**
   * Rebuild only if read tables are of another version: after another replica's rebuild there is nothing left to do.
   */
  readonly ifOutdated?: boolean
}

/** The key of the lock that lets one replica rebuild at a time. */
const REBUILD_LOCK = 0x657273_03

/**
 * How long the swap waits for readers while new readers queue behind it, how often it tries, and how long it pauses in
 * between to let them proceed.
 */
const SWAP_LOCK_TIMEOUT = '2s'
const MAX_SWAP_TRIES = 60
const SWAP_PAUSE_MS = 500

// One snapshot per batch: concurrent writers may record deletions and remove the documents meanwhile. No batch waits
// for the disk, because its rows are unused before the swap. PostgreSQL still writes the commits to disk in order.
const BATCH_BEGIN = 'BEGIN ISOLATION LEVEL REPEATABLE READ'
const UNSYNCED = 'SET LOCAL synchronous_commit = off'

/**
 * Rebuilds every read table of a database from the log, in a schema next to the live one, while others read and write.
 * Catches up with concurrent commits under the log's lock, and swaps the tables in one transaction. One rebuild runs at
 * a time, others wait. After an interruption the next call resumes; if versions, tables or the log have changed, it
 * starts over. Returns the position reached, or null if there was nothing to do. Throws `SchemaMismatch` for a role
 * without the rights. The session must have no other use, and must be closed afterwards: that releases the lock.
 * An erasure makes the rebuild start over too: it may have replayed what was erased.
 */
export const rebuildDatabase = async (
  session: PostgresConnection,
  { ifOutdated = false, ...options }: Options = {},
): Promise<number | null> => {
  const { read, run } = session
  const live = await read(findSchema)
  const fresh = shadowSchema(live)
  await checkRights(session, live, fresh)
  await run(statement`SELECT pg_advisory_lock(${REBUILD_LOCK})`)
  if (ifOutdated && outdatedProjections(await read(listReadModels)).length === 0) return null
  for (;;) {
    try {
      return await rebuildOnce(session, { live, fresh }, options)
    } catch (error) {
      // In a snapshot, the same is reported as a conflict.
      const isVoid = error instanceof RebuildVoid || codeOf(error) === '40001'
      if (!isVoid || (await read(findUnfinishedRebuild))) throw error
    }
  }
}

/** Builds the tables and swaps them in. The function is long because its parts share the position. */
const rebuildOnce = async (
  session: PostgresConnection,
  { live, fresh }: { readonly live: string; readonly fresh: string },
  { progress = () => {}, batch, observe = () => {} }: Omit<Options, 'ifOutdated'>,
): Promise<number> => {
  const { run, control } = session
  let position = await inTransaction(session, BEGIN, async () => {
    const from = await runAsync(startOrResume(live, fresh), session)
    await observe('started')
    return from
  })
  const replay = (): Replay =>
    replayFrom(position, {
      beforeFirstDeletion: () => indexShadowTables(live, fresh, readTables),
      ...(batch ? { batch } : {}),
    })
  let { next } = replay()
  /** Builds one batch after a position, on the open transaction. */
  const build = async (from: number): Promise<ReplayPosition> => {
    await run(setPath(fresh, live))
    const reached = await runAsync(next(), session)
    await runAsync(noteRebuildPosition(from, reached.position), session)
    await observe('replayed')
    return reached
  }
  const catchUp = async (): Promise<void> => {
    let reached: ReplayPosition
    do {
      reached = await inTransaction(session, BATCH_BEGIN, async () => {
        await control(UNSYNCED)
        return build(position)
      })
      position = reached.position
      progress(reached)
    } while (reached.position < reached.size)
  }
  const swap = (): Promise<number> =>
    inTransaction(session, BEGIN, async () => {
      await run(TAKE_LOG)
      let reached: ReplayPosition = { position, size: position + 1 }
      while (reached.position < reached.size) reached = await build(reached.position)
      await control(`SET LOCAL lock_timeout = '${SWAP_LOCK_TIMEOUT}'`)
      const seen: SwapStep[] = []
      await runAsync(
        swapShadowTables(live, fresh, readTables, (step) => void seen.push(step)),
        session,
      )
      for (const step of seen) await observe(step)
      for (const change of markCurrent(reached.position)) await run(change)
      await run(statement`DELETE FROM rebuilds`)
      await observe('swapped')
      return reached.position
    })

  await catchUp()
  // All indexes at once, after the rows: much faster than with each row.
  await inTransaction(session, BEGIN, async () => {
    await control(UNSYNCED)
    await runAsync(indexShadowTables(live, fresh, readTables), session)
    await runAsync(analyzeAll(fresh, readTables), session)
    await observe('indexed')
  })
  for (let attempt = 1; ; attempt++) {
    await catchUp()
    try {
      const reached = await swap()
      await dropSchema(session, fresh)
      return reached
    } catch (error) {
      if (attempt >= MAX_SWAP_TRIES || !isLockConflict(error)) throw error
      // This replay is ahead of the tables, because the transaction was rolled back. A new one starts at `position`.
      next = replay().next
      await sleep(SWAP_PAUSE_MS)
    }
  }
}

/** Returns the position to resume an unfinished rebuild from, or prepares a new one and returns 0. */
function* startOrResume(live: string, fresh: string): Steps<number> {
  const plan = yield* planOf(
    live,
    readTables,
    projections.map(({ name, version }) => [name, version]),
  )
  const unfinished = yield* ask(findUnfinishedRebuild)
  if (unfinished?.plan === plan && (yield* isSameLog(unfinished)) && (yield* hasShadowTables(fresh, readTables)))
    return unfinished.position
  yield* emptySchema(fresh)
  yield* createShadowTables(live, fresh, readTables)
  yield* noteRebuildStart(plan)
  return 0
}

const checkRights = async ({ read }: PostgresConnection, live: string, fresh: string): Promise<void> => {
  const { owned, make: mayCreate, there: exists, database, role } = await read(findRights(live, fresh, readTables))
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
    if (codeOf(error) !== '42501') throw error
  }
}

/** Whether a reader held a lock on a table for too long, or the swap and a reader waited for each other. */
const isLockConflict = (error: unknown): boolean => /^(55P03|40P01|40001)$/.test(codeOf(error) ?? '')
