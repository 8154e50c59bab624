import type { AnyCommand, Outcome, Ready } from '../../../storage/command.ts'
import { openPostgresWriter } from '../../../storage/postgres/storage.ts'
import { openPostgresReader } from '../../../storage/postgres/reader.ts'
import { withSession } from '../../../storage/postgres/session.ts'
import { openSqliteReader } from '../../../storage/sqlite/reader.ts'
import type { SqliteWriter, WriterOptions } from '../../../storage/sqlite/storage.ts'
import type { Dialect, Head, Query, Reader, Statement } from '../../../storage/storage.ts'
import { freshDatabase } from './fresh-database.ts'
import { onPostgres } from './open-fresh.ts'
import { sqlOnDatabase, sqlOnFile } from './plain-sql.ts'
import type { PlainSql } from './plain-sql.ts'
import { openStore, steppingClock } from './store.ts'

/** A writer and a reader of the storage that this run of the specs uses. Both check rows against their schemas. */
export type SpecStorage = {
  readonly dialect: Dialect
  readonly reader: Reader
  readonly read: <T>(query: Query<T>) => Promise<T>
  /** Writes in one transaction, without a command. */
  readonly run: (...statements: readonly Statement[]) => Promise<void>
  readonly commitGroup: (group: readonly Ready[]) => Promise<readonly Outcome[]>
  /** Runs commands as one group and returns the outcome of each. */
  readonly commitAll: (...commands: readonly AnyCommand[]) => Promise<readonly Outcome[]>
  readonly head: () => Promise<Head>
  readonly sql: PlainSql
  /** The URL for the serving role; null on SQLite. */
  readonly databaseUrl: string | null
  /** The writer of SQLite, for SQLite-specific tests; null on PostgreSQL. */
  readonly writer: SqliteWriter | null
  readonly close: () => Promise<void>
}

type Options = Partial<Pick<WriterOptions, 'project' | 'now' | 'observe' | 'onCommitted'>> & {
  /** Writes existing content before the writer opens the storage. */
  readonly before?: readonly Statement[]
}

const commitAllWith =
  (commitGroup: SpecStorage['commitGroup']) =>
  (...commands: readonly AnyCommand[]) =>
    commitGroup(commands.map((command) => ({ command, prepared: null })))

/**
 * Opens a separate storage of the kind that this run of the specs uses. Without the option `project` it only records
 * events.
 */
export const openStorage = (options: Options = {}): Promise<SpecStorage> =>
  onPostgres ? openDatabase(options) : openFile(options)

const openFile = async (options: Options): Promise<SpecStorage> => {
  const { file, writer, close } = openStore(options)
  const { connection, read, commitGroup, head } = writer
  const reader = openSqliteReader(file, { checkRows: true })
  const sql = sqlOnFile(file)
  const commit: SpecStorage['commitGroup'] = async (group) => commitGroup(group)
  return {
    dialect: reader.dialect,
    reader,
    read: async (query) => read(query),
    run: async (...statements) =>
      connection.database.transaction(() => {
        for (const statement of statements) connection.run(statement)
      })(),
    commitGroup: commit,
    commitAll: commitAllWith(commit),
    head: async () => head(),
    sql,
    databaseUrl: null,
    writer,
    close: async () => {
      await sql.close()
      reader.close()
      close()
    },
  }
}

const openDatabase = async (options: Options): Promise<SpecStorage> => {
  const { before = [], project = () => [], ...others } = options
  const database = await freshDatabase()
  if (before.length > 0)
    await withSession(database.ownerUrl, async ({ run }) => {
      for (const statement of before) await run(statement)
    })
  const pool = { url: database.appUrl, connections: 4, statementTimeoutMs: 30_000, checkRows: true }
  const writer = await openPostgresWriter({
    projectFor: () => project,
    now: steppingClock(),
    ...pool,
    ...others,
  })
  const reader = await openPostgresReader(pool)
  const sql = sqlOnDatabase(database.superUrl)
  return {
    dialect: reader.dialect,
    reader,
    read: writer.read,
    run: (...statements) =>
      writer.pool.withConnection(async ({ control, run }) => {
        await control('BEGIN')
        for (const statement of statements) await run(statement)
        await control('COMMIT')
      }),
    commitGroup: writer.commitGroup,
    commitAll: commitAllWith(writer.commitGroup),
    head: writer.head,
    sql,
    databaseUrl: database.appUrl,
    writer: null,
    close: async () => {
      await sql.close()
      await reader.close()
      await writer.close()
      await database.close()
    },
  }
}
