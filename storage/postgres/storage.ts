import { z } from 'zod'
import type { Outcome, Ready, Recorded, Storage } from '../command.ts'
import {
  asHead,
  commitCommand,
  failedStore,
  storeHead,
  type CommitStep,
  type LogHead,
} from '../commit/commit-command.ts'
import { runAsync } from '../commit/steps.ts'
import { Superseded, Unavailable } from '../errors.ts'
import { decodeFrontier } from '../log/merkle.ts'
import { TREE, adoptTree } from '../log/nodes.ts'
import type { MissingTables } from '../missing-tables.ts'
import { maybeOne, one, sql, statement } from '../sql.ts'
import type { Head, Statement } from '../storage.ts'
import { databaseCode } from './errors.ts'
import { openPool, type PoolOptions, type PostgresConnection, type PostgresPool } from './pool.ts'

export type PostgresWriterOptions = PoolOptions & {
  /**
   * The statements for one event, in order, of the read models whose tables are of the given versions. Throws
   * `Superseded` if a commit of this build would not update read models of another build.
   */
  readonly projectFor: (stored: readonly StoredVersion[]) => (recorded: Recorded) => Iterable<Statement>
  /** Throws if a fact of a command needs a read model that is not built yet. */
  readonly checkRead?: MissingTables['check']
  readonly now: () => number
  /** Called after COMMIT and before any client gets a response, with what the commit recorded. */
  readonly onCommitted?: (head: Head, recorded: readonly Recorded[]) => void
  /** Called at each step of a group, in order: for specs of the commit order and for injected faults. */
  readonly observe?: (step: CommitStep) => void
}

type Project = ReturnType<PostgresWriterOptions['projectFor']>

export type PostgresWriter = Omit<Storage, 'read' | 'commitGroup' | 'head' | 'close'> & {
  readonly read: PostgresPool['read']
  readonly commitGroup: (group: readonly Ready[]) => Promise<Outcome[]>
  /** Runs work in a transaction that holds the lock of the log, so that no commit happens meanwhile. */
  readonly exclusively: <T>(work: (connection: PostgresConnection) => Promise<T>) => Promise<T>
  readonly head: () => Promise<Head>
  readonly pool: PostgresPool
  readonly close: () => Promise<void>
}

/** The advisory lock that orders all commits: `ers` in ASCII, and number 1. */
export const LOG_LOCK = 0x657273_01

/** The maximum number of attempts for a group that conflicts with concurrent transactions. */
const MAX_ATTEMPTS = 5

/** A read model, with the version that wrote its tables. */
export type StoredVersion = { readonly name: string; readonly version: number }

const State = z.object({
  size: z.number(),
  frontier: z.instanceof(Buffer),
  recorded_at: z.number(),
  run_no: z.number(),
  versions: z.record(z.string(), z.number()).nullable(),
})

const findState = one(sql.type(State)`
  SELECT size, frontier, recorded_at, (SELECT value FROM sequences WHERE name = 'run_no') AS run_no,
    (SELECT json_object_agg(name, version) FROM projections) AS versions
  FROM log_head WHERE one = 1`)

const findTreeRow = maybeOne(
  sql.type(z.object({ name: z.string() }))`SELECT name FROM projections WHERE name = ${TREE.name}`,
)

/**
 * The isolation level is set explicitly. Under a stricter default level, later statements would see the state from
 * before the wait for the lock.
 */
export const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED'

/**
 * Takes the lock of the log. Makes sure that the commit is on disk before the response, whatever the server's default
 * is. Limits how long an idle transaction can hold the lock.
 */
export const TAKE_LOG = statement`
  SELECT pg_advisory_xact_lock(${LOG_LOCK}),
    CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN set_config('synchronous_commit', 'on', true) END,
    CASE WHEN current_setting('idle_in_transaction_session_timeout') = '0' THEN set_config('idle_in_transaction_session_timeout', '60s', true) END`

/**
 * The write half on PostgreSQL, for a current schema: one connection, and one group at a time in one transaction. The
 * lock of the log is taken in a separate statement, so every later statement sees the changes of the previous holder.
 * This is one long function because its parts share the pool and the options.
 */
export const openPostgresWriter = async (options: PostgresWriterOptions): Promise<PostgresWriter> => {
  const { projectFor, checkRead = () => {}, now, onCommitted, observe = () => {} } = options
  // One connection for the groups, one for the reads that prepare them.
  const pool = await openPool({ ...options, connections: 2 })
  await pool.withConnection(async ({ read, run, control }) => {
    await run(
      statement`
        INSERT INTO log_head (one, size, frontier, recorded_at) VALUES (1, 0, ${sql.binary(Buffer.alloc(0))}, 0)
        ON CONFLICT (one) DO NOTHING`,
    )
    await run(statement`INSERT INTO sequences (name, value) VALUES ('run_no', 0) ON CONFLICT (name) DO NOTHING`)
    if ((await read(findTreeRow)) !== null) return
    // Under the lock, so that no commit of a build without nodes ends after this row is visible.
    await control(BEGIN)
    await run(TAKE_LOG)
    await run(adoptTree)
    await control('COMMIT')
  })
  const transact = <T>(
    work: (connection: PostgresConnection, head: LogHead, project: Project) => Promise<T>,
  ): Promise<T> =>
    pool.withConnection(async (connection) => {
      await connection.control(BEGIN)
      await connection.run(TAKE_LOG)
      observe('begin')
      const { size, frontier, recorded_at, run_no, versions } = await connection.read(findState)
      const project = projectFor(Object.entries(versions ?? {}).map(([name, version]) => ({ name, version })))
      const result = await work(connection, { frontier: decodeFrontier(size, frontier), recorded_at, run_no }, project)
      observe('before commit')
      await connection.control('COMMIT')
      return result
    })

  /**
   * Runs a group in one transaction. Savepoints let the other commands succeed if one violates a constraint. They cost two
   * round trips per command.
   */
  const tryGroup = (group: readonly Ready[], hasSavepoints: boolean) =>
    transact(async (connection, head, project) => {
      const parts = { project, checkRead, observe }
      let newHead = head
      const recorded: Recorded[] = []
      const outcomes: Outcome[] = []
      const recorded_at = Math.max(now(), head.recorded_at)
      for (const ready of group) {
        if (hasSavepoints) await connection.control('SAVEPOINT command')
        observe('command')
        try {
          const result = await runAsync(commitCommand(parts, newHead, ready, recorded_at), connection)
          if (hasSavepoints) await connection.control('RELEASE command')
          newHead = result.head
          recorded.push(...result.recorded)
          outcomes.push(result.outcome)
        } catch (error) {
          if (!hasSavepoints || !isConstraint(error)) throw error
          await connection.control('ROLLBACK TO command')
          await connection.control('RELEASE command')
          outcomes.push({ ok: false, error })
        }
      }
      await runAsync(storeHead(head, newHead), connection)
      return { outcomes, recorded, oldHead: head, newHead }
    })

  const commitGroup = async (
    group: readonly Ready[],
    { attemptsLeft = MAX_ATTEMPTS, hasSavepoints = false } = {},
  ): Promise<Outcome[]> => {
    let committed: Awaited<ReturnType<typeof tryGroup>>
    try {
      committed = await tryGroup(group, hasSavepoints)
    } catch (error) {
      observe('rolled back')
      if (error instanceof Superseded) throw error
      // The group conflicted with a concurrent transaction, and nothing was written: run the whole group again.
      if (attemptsLeft > 1 && /^40(001|P01)$/.test(databaseCode(error) ?? ''))
        return commitGroup(group, { attemptsLeft: attemptsLeft - 1, hasSavepoints })
      // After an interrupted COMMIT its result is unknown. So the group must not be decided again here, only when the
      // client retries.
      if (group.length === 1 || error instanceof Unavailable) return group.map(() => ({ ok: false, error }))
      // Violations are rare: concurrent commands with the same key. Nothing was written.
      if (!hasSavepoints && isConstraint(error)) return commitGroup(group, { attemptsLeft, hasSavepoints: true })
      const outcomes: Outcome[] = []
      for (const ready of group) outcomes.push(...(failedStore(outcomes) ?? (await commitGroup([ready]))))
      return outcomes
    }
    // After the try block, because the group is durable now and must not run again.
    observe('committed')
    if (committed.newHead.frontier.size !== committed.oldHead.frontier.size)
      onCommitted?.(asHead(committed.newHead), committed.recorded)
    return committed.outcomes
  }

  return {
    dialect: 'postgres',
    read: pool.read,
    commitGroup: (group) => commitGroup(group),
    exclusively: (work) => transact((connection) => work(connection)),
    head: async () => {
      const { size, frontier, recorded_at, run_no } = await pool.read(findState)
      return asHead({ frontier: decodeFrontier(size, frontier), recorded_at, run_no })
    },
    pool,
    close: pool.close,
  }
}

const isConstraint = (error: unknown): boolean => /^23/.test(databaseCode(error) ?? '')
