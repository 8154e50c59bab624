import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { AnyCommand, NewEvent } from '../../../storage/command.ts'
import { openSqliteWriter } from '../../../storage/sqlite/storage.ts'
import type { SqliteWriter, WriterOptions } from '../../../storage/sqlite/storage.ts'
import { member } from '../access/viewers.ts'
import { putEmptyStore } from './empty-stores.ts'

/** A folder of its own under the system's temporary one; the caller removes it. */
export const freshFolder = (): { readonly dir: string; readonly file: string; readonly remove: () => void } => {
  const dir = mkdtempSync(join(tmpdir(), 'ers-store-'))
  return { dir, file: join(dir, 'service.db'), remove: () => rmSync(dir, { recursive: true, force: true }) }
}

/** A clock that goes on a millisecond each time it is asked. */
export const steps = (from = 1_777_885_244_000): (() => number) => {
  let at = from
  return () => at++
}

export type SpecStore = {
  readonly dir: string
  readonly file: string
  readonly writer: SqliteWriter
  readonly close: () => void
}

/**
 * A migrated store with its writer, in a folder of its own. Without a projection events are recorded and nothing else.
 */
export const openStore = (options: Partial<WriterOptions> = {}): SpecStore => {
  const { dir, file, remove } = freshFolder()
  migrate(file)
  const writer = openSqliteWriter({
    file,
    project: () => [],
    now: steps(),
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

/** Makes a service store with its tables. */
export const migrate = (file: string): void => putEmptyStore('service', file)

/** Puts a copy of a closed store where a spec works on one, in place of what the spec before left there. */
export const putCopy = (original: string, file: string): void => {
  for (const suffix of ['-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
  copyFileSync(original, file)
}

/** Works on a file as anybody with access to it could: a plain connection, without the pragmas of ours. */
export const onFile = <T>(file: string, work: (database: Database.Database) => T): T => {
  const database = new Database(file)
  try {
    return work(database)
  } finally {
    database.close()
  }
}

/** A command of given events, or of what a function decides. */
export const deciding = (
  decide: readonly NewEvent[] | (() => readonly NewEvent[]),
  overrides: Partial<AnyCommand> = {},
): AnyCommand => ({
  actor: member.actor,
  request_id: null,
  bytes: 0,
  prepare: () => null,
  facts: () => ({}),
  decide: typeof decide === 'function' ? decide : () => decide,
  answer: (recorded) => recorded.map(({ seq }) => seq),
  ...overrides,
})

/** Runs commands as one group and answers what became of each. */
export const commitAll = ({ commitGroup }: Pick<SqliteWriter, 'commitGroup'>, ...commands: readonly AnyCommand[]) =>
  commitGroup(commands.map((command) => ({ command, prepared: null })))
