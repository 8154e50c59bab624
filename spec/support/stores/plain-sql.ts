import Database from 'better-sqlite3'
import pg from 'pg'

type Values = readonly unknown[] | Readonly<Record<string, unknown>>

/**
 * Plain SQL on the data of a spec's service with full rights: on PostgreSQL as the superuser, on SQLite through a
 * connection without our pragmas. Values are named $1, $2, …, or (only on SQLite) by the given names. Whole numbers are
 * returned as numbers.
 */
export type PlainSql = {
  readonly rows: (text: string, values?: Values) => Promise<Array<Record<string, unknown>>>
  /** The first column. */
  readonly column: (text: string, values?: Values) => Promise<unknown[]>
  /** Statements without values; several are one transaction on PostgreSQL. */
  readonly execute: (text: string) => Promise<void>
  readonly close: () => Promise<void>
}

const firstColumn = (rows: ReadonlyArray<Record<string, unknown>>): unknown[] =>
  rows.map((row) => Object.values(row)[0])

/** Opens a file through one connection, at the first use. Throws if the file does not exist. */
export const sqlOnFile = (file: string): PlainSql => {
  let connected: Database.Database | null = null
  const database = (): Database.Database => (connected ??= new Database(file, { fileMustExist: true }))
  const rows: PlainSql['rows'] = async (text, values = []) => {
    const bound = Array.isArray(values) ? Object.fromEntries(values.map((value, i) => [String(i + 1), value])) : values
    return database()
      .prepare<unknown[], Record<string, unknown>>(text)
      .all(...(Object.keys(bound).length === 0 ? [] : [bound]))
  }
  return {
    rows,
    column: async (...args) => firstColumn(await rows(...args)),
    execute: async (text) => void database().exec(text),
    close: async () => {
      connected?.close()
      connected = null
    },
  }
}

const WHOLE_NUMBERS: readonly number[] = [pg.types.builtins.INT8, pg.types.builtins.NUMERIC]

/** Opens a database through one connection, at the first use. */
export const sqlOnDatabase = (url: string): PlainSql => {
  let connected: Promise<pg.Client> | null = null
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({
      connectionString: url,
      types: {
        getTypeParser: (oid: number, format?: 'text' | 'binary') =>
          (WHOLE_NUMBERS.includes(oid) ? Number : pg.types.getTypeParser(oid, format)) as never,
      },
    })
    await client.connect()
    return client
  }
  const rows = async (text: string, values: Values = []): Promise<Array<Record<string, unknown>>> => {
    connected ??= connect()
    return (await (await connected).query<Record<string, unknown>>(text, Object.values(values))).rows
  }
  return {
    rows,
    column: async (...args) => firstColumn(await rows(...args)),
    execute: async (text) => {
      connected ??= connect()
      await (await connected).query(text)
    },
    close: async () => {
      const client = await connected
      connected = null
      await client?.end()
    },
  }
}
