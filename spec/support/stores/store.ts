import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { AnyCommand, NewEvent } from '../../../storage/command.ts'
import { connect } from '../../../storage/sqlite/connection.ts'
import type { Statement } from '../../../storage/storage.ts'
import { openSqliteWriter, type SqliteWriter, type WriterOptions } from '../../../storage/sqlite/storage.ts'
import { member } from '../access/viewers.ts'
import { putEmptyStore } from './empty-stores.ts'

/** A separate folder in the system's temporary folder; the caller deletes it. */
export const freshFolder = (): { readonly dir: string; readonly file: string; readonly remove: () => void } => {
  const dir = mkdtempSync(join(tmpdir(), 'ers-store-'))
  return { dir, file: join(dir, 'service.db'), remove: () => rmSync(dir, { recursive: true, force: true }) }
}

/** A clock that advances by a millisecond with each call. */
export const steppingClock = (from = 1_777_885_244_000): (() => number) => {
  let ms = from
  return () => ms++
}

export type SpecStore = {
  readonly dir: string
  readonly file: string
  readonly writer: SqliteWriter
  readonly close: () => void
}

/**
 * Opens a migrated store with its writer, in a separate folder, after it has written existing content. Without a projection it
 * only records events.
 */
export const openStore = ({
  before = [],
  ...options
}: Partial<WriterOptions> & { readonly before?: readonly Statement[] } = {}): SpecStore => {
  const { dir, file, remove } = freshFolder()
  migrate(file)
  if (before.length > 0) {
    const { database, run, close } = connect(file, { readonly: false })
    database.transaction(() => {
      for (const statement of before) run(statement)
    })()
    close()
  }
  const writer = openSqliteWriter({
    file,
    project: () => [],
    now: steppingClock(),
    instance: 'instance-1',
    checkRows: true,
    ...options,
  })
  return {
    dir,
    file,
    writer,
    close: () => {
      writer.close()
      remove()
    },
  }
}

/** Creates a service store with its tables. */
export const migrate = (file: string): void => putEmptyStore('service', file)

/** Copies a closed store to the file that a spec uses, and replaces what the last spec left there. */
export const putCopy = (original: string, file: string): void => {
  for (const suffix of ['-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
  copyFileSync(original, file)
}

/** Works on a file through a plain connection without our pragmas, like a user with access. */
export const onFile = <T>(file: string, work: (database: Database.Database) => T): T => {
  const database = new Database(file)
  try {
    return work(database)
  } finally {
    database.close()
  }
}

/** A command with given events, or with the events that a function decides. */
export const aCommand = (
  decide: readonly NewEvent[] | (() => readonly NewEvent[]),
  overrides: Partial<AnyCommand> = {},
): AnyCommand => ({
  actor: member.actor,
  request_id: null,
  bytes: 0,
  prepare: () => null,
  facts: () => ({}),
  decide: typeof decide === 'function' ? decide : () => decide,
  result: (recorded) => recorded.map(({ seq }) => seq),
  ...overrides,
})

/** Runs commands as one group and returns the outcome of each. */
export const commitAll = ({ commitGroup }: Pick<SqliteWriter, 'commitGroup'>, ...commands: readonly AnyCommand[]) =>
  commitGroup(commands.map((command) => ({ command, prepared: null })))
