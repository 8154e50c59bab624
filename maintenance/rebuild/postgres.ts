import { setTimeout as sleep } from 'node:timers/promises'
import { projections, readTables } from '../../projections/index.ts'
import { listActive, markCurrent, outdatedProjections, replayFrom } from '../../projections/replay.ts'
import type { BATCH, ReplayPosition, Replay } from '../../projections/replay.ts'
import { ask, runInTurn } from '../../storage/commit/steps.ts'
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
import { findUnfinishedRebuild, isSameLog, noteRebuildStart, noteRebuildPosition } from './progress.ts'

export type DatabaseRebuildStep = 'begun' | 'replayed' | 'indexed' | SwapStep | 'swapped'

type Options = {
  readonly progress?: (reached: ReplayPosition) => void
  /** What one transaction takes, where a spec wants it smaller. */
  readonly batch?: typeof BATCH
  /** Told each step on its open transaction: for injected faults, and for what others do meanwhile. */
  readonly observe?: (step: DatabaseRebuildStep) => void | Promise<void>
  /** Only where read tables are of another version: who waited for another's rebuild has nothing left to do. */
  readonly ifOutdated?: boolean
}

/** Names the lock that lets one replica rebuild at a time. */
const REBUILD_LOCK = 0x657273_03

/**
 * How long the swap waits for readers while new ones wait behind it, how often it tries, and how long it lets them go
 * in between.
 */
const SWAP_WAIT = '2s'
const SWAP_TRIES = 60
const SWAP_PAUSE_MS = 500

// One snapshot for a batch: others may record deletions, and take the documents away, while it runs. What is built
// counts for nothing before the swap, so no batch waits for the disk; the order of commits stands all the same.
const BATCH_BEGIN = 'BEGIN ISOLATION LEVEL REPEATABLE READ'
const UNSYNCED = 'SET LOCAL synchronous_commit = off'

/**
 * Makes every read table of a database anew from the log, in a schema beside the live ones, while others go on reading
 * and writing; catches up with them holding the log, and swaps the tables in, in one transaction. One rebuild runs at a
 * time, others wait. Broken off at any point, the next goes on where it was; what was begun for other versions, other
 * tables or another log is begun anew. Answers the position reached, null where there was nothing to do. Throws
 * `SchemaMismatch` for a role that may not. The session is this work's alone, and ends with it.
 */
export const rebuildDatabase = async (
  session: PostgresConnection,
  { progress = () => {}, batch, observe = () => {}, ifOutdated = false }: Options = {},
): Promise<number | null> => {
  const { read, run, control } = session
  const live = await read(findSchema)
  const fresh = shadowSchema(live)
  await checkRights(session, live, fresh)
  await run(statement`SELECT pg_advisory_lock(${REBUILD_LOCK})`)
  if (ifOutdated && outdatedProjections(await read(listActive)).length === 0) return null

  let position = await inTransaction(session, BEGIN, async () => {
    const from = await runInTurn(begin(live, fresh), session)
    await observe('begun')
    return from
  })
  const replay = (): Replay =>
    replayFrom(position, { onDeletion: () => indexShadowTables(live, fresh, readTables), ...(batch ? { batch } : {}) })
  let { next } = replay()
  /** One batch on the open transaction, from a position on. */
  const build = async (from: number): Promise<ReplayPosition> => {
    await run(setPath(fresh, live))
    const reached = await runInTurn(next(), session)
    await runInTurn(noteRebuildPosition(from, reached.position), session)
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
      await control(`SET LOCAL lock_timeout = '${SWAP_WAIT}'`)
      const seen: SwapStep[] = []
      await runInTurn(
        swapShadowTables(live, fresh, readTables, (step) => void seen.push(step)),
        session,
      )
      for (const step of seen) await observe(step)
      for (const each of markCurrent(reached.position)) await run(each)
      await run(statement`DELETE FROM rebuilds`)
      await observe('swapped')
      return reached.position
    })

  await catchUp()
  // At once, and after the rows: that is much quicker than with each row.
  await inTransaction(session, BEGIN, async () => {
    await control(UNSYNCED)
    await runInTurn(indexShadowTables(live, fresh, readTables), session)
    await runInTurn(analyzeAll(fresh, readTables), session)
    await observe('indexed')
  })
  for (let tries = 1; ; tries++) {
    await catchUp()
    try {
      const reached = await swap()
      await dropSchema(session, fresh)
      return reached
    } catch (error) {
      if (tries >= SWAP_TRIES || !isInTheWay(error)) throw error
      // What the replay learnt went with the transaction.
      next = replay().next
      await sleep(SWAP_PAUSE_MS)
    }
  }
}

/** Where to go on from: the position of what was begun, when that is still of use, else the beginning. */
function* begin(live: string, fresh: string): Steps<number> {
  const plan = yield* planOf(
    live,
    readTables,
    projections.map(({ name, version }) => [name, version]),
  )
  const begun = yield* ask(findUnfinishedRebuild)
  if (begun?.plan === plan && (yield* isSameLog(begun)) && (yield* hasShadowTables(fresh, readTables)))
    return begun.position
  yield* emptySchema(fresh)
  yield* createShadowTables(live, fresh, readTables)
  yield* noteRebuildStart(plan)
  return 0
}

const checkRights = async ({ read }: PostgresConnection, live: string, fresh: string): Promise<void> => {
  const { owned, make, there, database, role } = await read(findRights(live, fresh, readTables))
  if (!owned)
    throw new SchemaMismatch(`the read tables belong to another role than ${role}: let that role run "ers rebuild"`)
  if (!make && !there)
    throw new SchemaMismatch(
      `the role ${role} builds the read tables in a schema of their own and may not make one: GRANT CREATE ON DATABASE "${database}" TO "${role}"`,
    )
}

/** An empty schema is no harm where it cannot be dropped: it belongs to somebody else. */
const dropSchema = async ({ run }: PostgresConnection, schema: string): Promise<void> => {
  try {
    await run(statement`DROP SCHEMA ${sql.identifier([schema])}`)
  } catch (error) {
    if (codeOf(error) !== '42501') throw error
  }
}

/** A reader held a table for too long, or waited for us while we waited for it. */
const isInTheWay = (error: unknown): boolean => /^(55P03|40P01|40001)$/.test(codeOf(error) ?? '')
