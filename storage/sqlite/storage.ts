import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { z } from 'zod'
import type { Outcome, Ready, Recorded, Storage } from '../command.ts'
import { asHead, commitCommand, failedStore, storeHead, type CommitStep } from '../commit/commit-command.ts'
import { runSync } from '../commit/steps.ts'
import { DiskFull, Fenced, Unavailable } from '../errors.ts'
import type { MissingTables } from '../missing-tables.ts'
import { PARTS_FOLDER } from '../objects/file-store.ts'
import { maybeOne, sql, statement } from '../sql.ts'
import type { Head, Query, Statement } from '../storage.ts'
import { asUnavailable, connect, type Connection } from './connection.ts'
import { loadHead } from './load-head.ts'
import type { Reserve } from './reserve.ts'

export type WriterOptions = {
  readonly file: string
  /** The statements of all read models for one event, in order. */
  readonly project: (recorded: Recorded) => Iterable<Statement>
  /** Throws if a fact of a command needs a read model that is not built yet. */
  readonly checkRead?: MissingTables['check']
  readonly now: () => number
  readonly instance: string
  /** Called after COMMIT and before any client gets a response, with what the commit recorded. */
  readonly onCommitted?: (head: Head, recorded: readonly Recorded[]) => void
  readonly checkRows?: boolean
  /** Released when the disk is full. Without a reserve, every command is tried even then. */
  readonly reserve?: Reserve | null
  /** Called at each step of a group, in order: for specs of the commit order and for injected faults. */
  readonly observe?: (step: CommitStep) => void
}

/**
 * The write half on SQLite: synchronous throughout, because the lock must not be held across turns of the event loop.
 */
export type SqliteWriter = Omit<Storage, 'read' | 'commitGroup' | 'close'> & {
  readonly connection: Connection
  readonly read: <T>(query: Query<T>) => T
  /**
   * Runs commands in one transaction, in order. A command reads its facts after the commands
   * before it have run.
   */
  readonly commitGroup: (group: readonly Ready[]) => Outcome[]
  /**
   * Runs a function in one transaction, which starts with the same check of the holder as a commit. It is for rebuilds.
   * The function appends no events: the head in memory does not change.
   */
  readonly exclusively: <T>(work: () => T) => T
  readonly head: () => Head
  readonly close: () => void
}

const InstanceRow = z.object({ instance_id: z.string() })

/**
 * The only write connection of a state directory. The process must hold the directory's lock, and the schema must be
 * current. This is one long function because its parts share the connection and the head in memory.
 */
export const openSqliteWriter = (options: WriterOptions): SqliteWriter => {
  const { file, project, checkRead = () => {}, now, instance, onCommitted, reserve, observe = () => {} } = options
  const connection = connect(file, {
    readonly: false,
    ...(options.checkRows === undefined ? {} : { checkRows: options.checkRows }),
  })
  const { database, read, run } = connection
  run(
    statement`
      INSERT INTO holder (one, instance_id) VALUES (1, ${instance})
      ON CONFLICT (one) DO UPDATE SET instance_id = excluded.instance_id`,
  )

  let head = loadHead(connection)
  const parts = { project, checkRead, observe }

  const controlStatement = (text: string) => {
    const prepared = database.prepare(text)
    return () => {
      try {
        prepared.run()
      } catch (error) {
        // It is possible that a full disk is not reported before COMMIT.
        throw asUnavailable(error)
      }
    }
  }
  const begin = controlStatement('BEGIN IMMEDIATE')
  const commit = controlStatement('COMMIT')
  const rollback = controlStatement('ROLLBACK')
  const savepoint = controlStatement('SAVEPOINT command')
  const release = controlStatement('RELEASE command')
  const rollbackCommand = controlStatement('ROLLBACK TO command')

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
      // A full disk makes SQLite roll back by itself; a ROLLBACK outside of a transaction would hide the cause.
      if (database.inTransaction) rollback()
      observe('rolled back')
      throw error
    }
  }

  /**
   * Runs a group in one transaction. Savepoints let the other commands succeed if one violates a constraint. They cost a
   * quarter of a small document, because SQLite then saves each page again for every command.
   */
  const tryGroup = (
    group: readonly Ready[],
    hasSavepoints: boolean,
  ): { outcomes: Outcome[]; recorded: readonly Recorded[] } => {
    let newHead = head
    const recorded: Recorded[] = []
    const outcomes = transact(() => {
      const recorded_at = Math.max(now(), head.recorded_at)
      const outcomes = group.map((ready): Outcome => {
        if (hasSavepoints) savepoint()
        observe('command')
        try {
          const result = runSync(commitCommand(parts, newHead, ready, recorded_at), connection)
          if (hasSavepoints) release()
          newHead = result.head
          recorded.push(...result.recorded)
          return result.outcome
        } catch (error) {
          // Only a constraint error leaves the savepoint intact; any other error may have ended the transaction.
          if (!hasSavepoints || !isConstraint(error) || !database.inTransaction) throw error
          rollbackCommand()
          release()
          return { ok: false, error }
        }
      })
      runSync(storeHead(head, newHead), connection)
      return outcomes
    })
    head = newHead
    return { outcomes, recorded }
  }

  const commitGroup = (group: readonly Ready[], hasSavepoints = false): Outcome[] => {
    const sizeBefore = head.frontier.size
    let committed: ReturnType<typeof tryGroup>
    try {
      committed = tryGroup(group, hasSavepoints)
    } catch (error) {
      if (error instanceof Fenced) throw error
      if (error instanceof DiskFull) reserve?.release()
      // A full or busy store fails every command alike, and may take the whole timeout of a lock for each.
      if (group.length === 1 || error instanceof Unavailable) return group.map(() => ({ ok: false, error }))
      // Violations are rare: concurrent commands with the same key. Nothing was written.
      if (!hasSavepoints && isConstraint(error)) return commitGroup(group, true)
      // The whole group was rolled back, and no command has an outcome yet: run the commands again one by one.
      const outcomes: Outcome[] = []
      for (const ready of group) outcomes.push(...(failedStore(outcomes) ?? commitGroup([ready])))
      return outcomes
    }
    // After the try block, because the group is durable now and must not run again.
    observe('committed')
    if (head.frontier.size !== sizeBefore) onCommitted?.(asHead(head), committed.recorded)
    return committed.outcomes
  }

  /** The store need not grow for them. */
  const freePageBytes = (): number =>
    Number(database.pragma('freelist_count', { simple: true })) * Number(database.pragma('page_size', { simple: true }))

  /** Whether a document may be stored. The space of a released reserve is for commands that free space. */
  const hasRoom = (): boolean => !reserve || reserve.hasRoom(freePageBytes)

  const commitWithRoom = (group: readonly Ready[]): Outcome[] => {
    if (hasRoom()) return commitGroup(group)
    const others = group.filter(({ command }) => command.bytes === 0)
    const outcomes = others.length > 0 ? commitGroup(others) : []
    return group.map((ready) => outcomes[others.indexOf(ready)] ?? { ok: false, error: new DiskFull() })
  }

  return {
    dialect: 'sqlite',
    partsFolder: join(dirname(file), PARTS_FOLDER),
    connection,
    read,
    commitGroup: commitWithRoom,
    exclusively: transact,
    head: () => asHead(head),
    close: connection.close,
  }
}

const isConstraint = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_CONSTRAINT')
