import Database from 'better-sqlite3'
import pg from 'pg'

type Values = readonly unknown[] | Readonly<Record<string, unknown>>

/**
 * Plain SQL on what a specification's service keeps, as whoever may do anything with it: on PostgreSQL the superuser,
 * on SQLite a connection without the pragmas of ours. Values are named $1, $2, …, or by the names given (SQLite alone);
 * whole numbers come as numbers.
 */
export type PlainSql = {
  readonly rows: (text: string, values?: Values) => Promise<Array<Record<string, unknown>>>
  /** The first column. */
  readonly column: (text: string, values?: Values) => Promise<unknown[]>
  /** Statements without values; several are one transaction on PostgreSQL. */
  readonly execute: (text: string) => Promise<void>
  readonly close: () => Promise<void>
}

const firstOf = (rows: ReadonlyArray<Record<string, unknown>>): unknown[] => rows.map((row) => Object.values(row)[0])

/** On a file, through one connection that is made when it is first used. Throws on a file that is not there. */
export const sqlOnFile = (file: string): PlainSql => {
  let connected: Database.Database | null = null
  const on = (): Database.Database => (connected ??= new Database(file, { fileMustExist: true }))
  const rows: PlainSql['rows'] = async (text, values = []) => {
    const bound = Array.isArray(values) ? Object.fromEntries(values.map((value, i) => [String(i + 1), value])) : values
    return on()
      .prepare<unknown[], Record<string, unknown>>(text)
      .all(...(Object.keys(bound).length === 0 ? [] : [bound]))
  }
  return {
    rows,
    column: async (...asked) => firstOf(await rows(...asked)),
    execute: async (text) => void on().exec(text),
    close: async () => {
      connected?.close()
      connected = null
    },
  }
}

const WHOLE_NUMBERS: readonly number[] = [pg.types.builtins.INT8, pg.types.builtins.NUMERIC]

/** On a database, through one connection that is made when it is first used. */
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
  const ask = async (text: string, values: Values = []): Promise<Array<Record<string, unknown>>> => {
    connected ??= connect()
    return (await (await connected).query<Record<string, unknown>>(text, Object.values(values))).rows
  }
  return {
    rows: ask,
    column: async (...asked) => firstOf(await ask(...asked)),
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
