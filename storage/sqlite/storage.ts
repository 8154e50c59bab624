import Database from 'better-sqlite3'
import { z } from 'zod'
import type { Outcome, Ready, Recorded, Storage } from '../command.ts'
import { asHead, commitCommand, moveHead } from '../commit/commit-command.ts'
import type { CommitStep, LogHead } from '../commit/commit-command.ts'
import { askAll, runAtOnce } from '../commit/steps.ts'
import { Fenced } from '../errors.ts'
import { HeadRow } from '../log/head.ts'
import { decodeFrontier } from '../log/merkle.ts'
import { maybeOne, one, sql, statement } from '../sql.ts'
import type { Head, Query, Reader, Statement } from '../storage.ts'
import { asUnavailable, connect } from './connection.ts'
import type { Connection } from './connection.ts'

export type SqliteReader = Reader & { readonly close: () => void }

/** A read-only connection of its own: short indexed reads, each in a WAL snapshot. */
export const openSqliteReader = (file: string, options: { readonly checkRows?: boolean } = {}): SqliteReader => {
  const connection = connect(file, { readonly: true, ...options })
  const begin = connection.database.prepare('BEGIN')
  const commit = connection.database.prepare('COMMIT')
  return {
    dialect: 'sqlite',
    read: async (query) => connection.read(query),
    readAll: async (queries) => {
      begin.run()
      try {
        const found = runAtOnce(askAll(queries), connection)
        commit.run()
        return found
      } catch (error) {
        // What ended the transaction by itself is the error to tell, not that there is none any more.
        if (connection.database.inTransaction) connection.database.exec('ROLLBACK')
        throw error
      }
    },
    close: connection.close,
  }
}

export type WriterOptions = {
  readonly file: string
  /** Every read model's statements for one event, in order. */
  readonly project: (recorded: Recorded) => Iterable<Statement>
  readonly now: () => number
  readonly instance: string
  /** Called after COMMIT returned and before anyone is answered, with what the commit recorded. */
  readonly onCommitted?: (head: Head, recorded: readonly Recorded[]) => void
  readonly checkRows?: boolean
  /** Told each step of a group, in order: for specs of the commit order and for injected faults. */
  readonly observe?: (step: CommitStep) => void
}

/** The SQLite half of the seam: synchronous throughout, since a lock must not be held over a turn of the event loop. */
export type SqliteWriter = Omit<Storage, 'read' | 'commitGroup' | 'close'> & {
  readonly connection: Connection
  readonly read: <T>(query: Query<T>) => T
  /** Runs commands in one transaction, each in a savepoint, facts read in order. */
  readonly commitGroup: (group: readonly Ready[]) => Outcome[]
  /** Runs a function in one transaction, fenced like a commit: for rebuilds, which append no event but their own. */
  readonly exclusively: <T>(work: () => T) => T
  readonly head: () => Head
  readonly close: () => void
}

const Count = z.object({ n: z.number() })
const InstanceRow = z.object({ instance_id: z.string() })

/**
 * The one read-write connection of a state directory, whose lock the process holds already and whose schema is current.
 */
export const openSqliteWriter = (options: WriterOptions): SqliteWriter => {
  const { file, project, now, instance, onCommitted, observe = () => {} } = options
  const connection = connect(file, {
    readonly: false,
    ...(options.checkRows === undefined ? {} : { checkRows: options.checkRows }),
  })
  const { database, read, run } = connection
  run(
    statement`INSERT INTO holder (one, instance_id) VALUES (1, ${instance}) ON CONFLICT (one) DO UPDATE SET instance_id = excluded.instance_id`,
  )

  let head = loadHead(connection)
  const parts = { project, observe }

  const control = (text: string) => {
    const prepared = database.prepare(text)
    return () => {
      try {
        prepared.run()
      } catch (error) {
        // A disk that is full tells so at COMMIT as well.
        throw asUnavailable(error)
      }
    }
  }
  const begin = control('BEGIN IMMEDIATE')
  const commit = control('COMMIT')
  const rollback = control('ROLLBACK')
  const savepoint = control('SAVEPOINT command')
  const release = control('RELEASE command')
  const undo = control('ROLLBACK TO command')

  const checkFence = (): void => {
    const holder = read(maybeOne(sql.type(InstanceRow)`SELECT instance_id FROM holder WHERE one = 1`))
    if (holder?.instance_id !== instance) throw new Fenced('another instance took this state directory over')
  }

  const transact = <T>(work: () => T): T => {
    begin()
    try {
      observe('begin')
      checkFence()
      const result = work()
      observe('before commit')
      commit()
      return result
    } catch (error) {
      // A full disk rolls everything back by itself; a ROLLBACK outside a transaction would hide the cause.
      if (database.inTransaction) rollback()
      observe('rolled back')
      throw error
    }
  }

  const attempt = (group: readonly Ready[]): { outcomes: Outcome[]; recorded: readonly Recorded[] } => {
    let moved = head
    const recorded: Recorded[] = []
    const outcomes = transact(() => {
      const recorded_at = Math.max(now(), head.recorded_at)
      const done = group.map((ready): Outcome => {
        savepoint()
        observe('savepoint')
        try {
          const ran = runAtOnce(commitCommand(parts, moved, ready, recorded_at), connection)
          release()
          moved = ran.at
          recorded.push(...ran.recorded)
          return ran.outcome
        } catch (error) {
          // Only a constraint rolls back to the savepoint; anything else may have taken the transaction with it.
          if (!isConstraint(error) || !database.inTransaction) throw error
          undo()
          release()
          return { ok: false, error }
        }
      })
      runAtOnce(moveHead(head, moved), connection)
      return done
    })
    head = moved
    return { outcomes, recorded }
  }

  const commitGroup = (group: readonly Ready[]): Outcome[] => {
    const before = head.frontier.size
    let committed: ReturnType<typeof attempt>
    try {
      committed = attempt(group)
    } catch (error) {
      if (error instanceof Fenced) throw error
      if (group.length === 1) return [{ ok: false, error }]
      // The group is lost as a whole and nobody was answered: its members run again one by one.
      return group.flatMap((ready) => commitGroup([ready]))
    }
    // Outside of what may run again: from here on the group is durable.
    observe('committed')
    if (head.frontier.size !== before) onCommitted?.(asHead(head), committed.recorded)
    return committed.outcomes
  }

  return { connection, read, commitGroup, exclusively: transact, head: () => asHead(head), close: connection.close }
}

const isConstraint = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_CONSTRAINT')

/**
 * Reads where the log stands. Throws when the log and its head disagree: that is damage, and a commit would bury it.
 */
const loadHead = ({ read, run }: Connection): LogHead => {
  run(
    statement`INSERT INTO log_head (one, size, frontier, recorded_at) VALUES (1, 0, ${sql.binary(Buffer.alloc(0))}, 0) ON CONFLICT (one) DO NOTHING`,
  )
  run(statement`INSERT INTO sequences (name, value) VALUES ('run_no', 0) ON CONFLICT (name) DO NOTHING`)
  const { size, frontier, recorded_at } = read(
    one(sql.type(HeadRow)`SELECT size, frontier, recorded_at FROM log_head WHERE one = 1`),
  )
  const { n } = read(one(sql.type(Count)`SELECT coalesce(max(seq), 0) AS n FROM events`))
  if (n !== size) throw new Error(`the log ends at ${n} but its head says ${size}: run "ers verify"`)
  const { n: run_no } = read(one(sql.type(Count)`SELECT value AS n FROM sequences WHERE name = 'run_no'`))
  return { frontier: decodeFrontier(size, frontier), recorded_at, run_no }
}
