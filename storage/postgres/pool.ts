import { hash } from 'node:crypto'
import { createPool } from 'slonik'
import type { DatabasePool, DatabasePoolConnection, Interceptor, QuerySqlToken } from 'slonik'
import { z } from 'zod'
import { askAll, runInTurn } from '../commit/steps.ts'
import { Busy, Unavailable } from '../errors.ts'
import { any, sql } from '../sql.ts'
import type { Answers, Queries, Query, Statement, Token } from '../storage.ts'
import { readAddress } from './address.ts'
import { driverOf } from './driver.ts'
import { asUnavailable } from './errors.ts'
import { insertRowsOn } from './insert-rows.ts'

export type PoolOptions = {
  /** As libpq reads it. */
  readonly url: string
  readonly connections: number
  /**
   * Milliseconds that one statement may take. The server ends it then; one that says nothing is given up a moment
   * later.
   */
  readonly statementTimeout: number
  /**
   * Milliseconds that a read may wait for a connection, or a connection for the server; what the URL says of the latter
   * goes before it.
   */
  readonly connectTimeout?: number
  /** Check every row against its schema: for specs. */
  readonly checkRows?: boolean
  /** Told before each connection is made. */
  readonly onConnect?: () => void
}

/** One connection for as long as a piece of work takes: statements on it are in order and may be in a transaction. */
export type PostgresConnection = {
  readonly read: <T>(query: Query<T>) => Promise<T>
  readonly run: (statement: Statement) => Promise<void>
  /** A statement of fixed text without values: BEGIN and its like. */
  readonly control: (text: string) => Promise<void>
}

export type PostgresPool = {
  readonly read: <T>(query: Query<T>) => Promise<T>
  /** Several queries in one snapshot. */
  readonly readAll: <Q extends Queries>(queries: Q) => Promise<Answers<Q>>
  /**
   * Work on a connection of its own. Where it throws, the connection is closed and whatever was open on it is undone.
   */
  readonly connected: <T>(work: (connection: PostgresConnection) => Promise<T>) => Promise<T>
  readonly close: () => Promise<void>
}

/** Reads that may wait for a connection; beyond, the next is told to come back. */
const MAX_WAITING = 500

/**
 * Milliseconds beyond the server's own bound after which a statement is given up: a server that is frozen, or cut off,
 * ends nothing by itself.
 */
const GRACE_MS = 1_000

/**
 * Milliseconds that the server lets a transaction wait for its client: one that froze, or whose machine is gone, keeps
 * the log from nobody for longer.
 */
const IDLE_TRANSACTION_MS = 20_000

/** Milliseconds that a connection which is given up gets to say goodbye. */
const GOODBYE_MS = 100

type StandardSchema = { readonly '~standard'?: { validate: (value: unknown) => unknown } }

const checking: Interceptor = {
  name: 'check-rows',
  transformRow: ({ resultParser }, { sql: text }, row) => {
    const result = (resultParser as StandardSchema | undefined)?.['~standard']?.validate(row) as
      | { issues?: unknown }
      | undefined
    if (result?.issues) throw new Error(`a row does not fit its schema: ${JSON.stringify(result.issues)} in ${text}`)
    return row
  },
}

/** Opens a pool. Throws `Unavailable` when the server cannot be reached, and what it says when it refuses. */
export const openPool = async ({
  url,
  connections,
  statementTimeout,
  connectTimeout = 5_000,
  checkRows = false,
  onConnect = () => {},
}: PoolOptions): Promise<PostgresPool> => {
  let pool: DatabasePool
  try {
    const address = readAddress(url)
    pool = await createPool(address.dsn, {
      driverFactory: driverOf({
        address,
        connectTimeout: address.connectTimeoutMs ?? connectTimeout,
        statementTimeout,
        idleInTransactionTimeout: IDLE_TRANSACTION_MS,
        onConnect,
      }),
      // More than are ever taken: who waits for one waits here, since slonik forgets whom it let wait when a connection
      // is lost.
      maxPoolSize: connections * 4,
      gracefulTerminationTimeout: GOODBYE_MS,
      // Answered at once rather than after several tries: whoever asked may ask again.
      connectionRetryLimit: 0,
      queryRetryLimit: 0,
      transactionRetryLimit: 0,
      idleTimeout: 60_000,
      // Nothing of a session outlives its use here, so nothing has to be reset; that would also drop prepared
      // statements.
      resetConnection: async () => {},
      interceptors: checkRows ? [checking] : [],
    })
  } catch (error) {
    throw asUnavailable(error)
  }
  // Each is told to whoever asked; without a listener it would end the process.
  pool.on('error', () => {})
  try {
    // Fails now where the server is away or refuses us; else the connection stays for the first read.
    await pool.connect(async () => {})
  } catch (error) {
    await pool.end()
    // The server's own error: slonik calls every refusal a lost connection.
    throw asUnavailable(error instanceof Error && error.cause instanceof Error ? error.cause : error)
  }

  let taken = 0
  const turns: Array<() => void> = []
  /** Waits for one of the connections, in order. */
  const turn = async (): Promise<void> => {
    if (taken < connections) return void taken++
    if (turns.length >= MAX_WAITING) throw new Busy('too many reads are waiting for a database connection')
    const mine = Promise.withResolvers<void>()
    turns.push(mine.resolve)
    const timer = setTimeout(() => {
      turns.splice(turns.indexOf(mine.resolve), 1)
      mine.reject(new Unavailable('no database connection came free in time'))
    }, connectTimeout)
    await mine.promise.finally(() => clearTimeout(timer))
  }
  const connect = async <T>(work: (connection: DatabasePoolConnection) => Promise<T>): Promise<T> => {
    await turn()
    try {
      return await pool.connect(work)
    } catch (error) {
      throw asUnavailable(error)
    } finally {
      const next = turns.shift()
      if (next) next()
      else taken--
    }
  }

  const types = new Map<string, Promise<ReadonlyMap<string, string>>>()
  /** The column types of a table: asked once, since they change with a migration alone. */
  const typesOf = (table: string, read: PostgresConnection['read']): Promise<ReadonlyMap<string, string>> => {
    const asked =
      types.get(table) ?? read(listColumns(table)).then((rows) => new Map(rows.map(({ name, type }) => [name, type])))
    types.set(table, asked)
    // One that failed is asked again.
    asked.catch(() => types.delete(table))
    return asked
  }

  /** One statement. Where it is given up, so is its connection: what comes on it later answers nobody. */
  const answered = (connection: DatabasePoolConnection, token: QuerySqlToken) =>
    within(statementTimeout + GRACE_MS, connection.query(token))

  const on = (connection: DatabasePoolConnection): PostgresConnection => {
    const read: PostgresConnection['read'] = async ({ token, shape }) => {
      if (token === null) return shape([])
      try {
        return shape((await answered(connection, asked(token))).rows)
      } catch (error) {
        throw asUnavailable(error)
      }
    }
    const run = async (token: Token): Promise<void> => {
      try {
        await answered(connection, named(token))
      } catch (error) {
        throw asUnavailable(error)
      }
    }
    return {
      read,
      run: async (statement) => {
        if (!('table' in statement)) return run(statement)
        const rows = statement.postgres ?? statement
        for (const token of insertRowsOn(rows, await typesOf(rows.table, read))) await run(token)
      },
      control: (text) => run({ ...sql.unsafe``, sql: text }),
    }
  }

  return {
    read: async ({ token, shape }) => {
      if (token === null) return shape([])
      return connect(async (connection) => shape((await answered(connection, asked(token))).rows))
    },
    readAll: async (queries) => {
      const asked = Object.values(queries).filter(({ token }) => token !== null)
      return connect(async (connection) => {
        const { read, control } = on(connection)
        const steps = { read, run: () => Promise.reject(new Error('a read writes nothing')) }
        // One statement is a snapshot by itself.
        if (asked.length <= 1) return runInTurn(askAll(queries), steps)
        await control('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
        const found = await runInTurn(askAll(queries), steps)
        await control('COMMIT')
        return found
      })
    },
    connected: (work) => connect((connection) => work(on(connection))),
    close: () => pool.end(),
  }
}

/** Waits no longer than that for the server to say something. What is given up may still have happened. */
const within = async <T>(milliseconds: number, work: Promise<T>): Promise<T> => {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Unavailable('the database does not answer')), milliseconds)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

const Column = z.object({ name: z.string(), type: z.string() })

const listColumns = (table: string): Query<Array<z.infer<typeof Column>>> =>
  any(sql.type(Column)`
    SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
    WHERE attrelid = CAST(${`"${table}"`} AS regclass) AND attnum > 0 AND NOT attisdropped`)

/** The text of a token here. The tags are slonik's own, only typed by ours. */
const asSlonik = (token: Token): QuerySqlToken => (token.postgres ?? token) as unknown as QuerySqlToken

/** Longer than any name may be, so that nothing that is kept equals it. */
const NO_NAME = '\u{fffe}'.repeat(200)

/** A text with NUL is no text to PostgreSQL, and equal to none that is kept: it is looked for as another such. */
const asked = (token: Token): QuerySqlToken => {
  const slonik = asSlonik(token)
  const has = (value: unknown): value is string => typeof value === 'string' && value.includes('\0')
  return slonik.values.some(has)
    ? { ...slonik, values: slonik.values.map((value) => (has(value) ? value.replaceAll('\0', NO_NAME) : value)) }
    : slonik
}

const names = new Map<string, string>()

/**
 * Statements that a connection keeps prepared: their texts come from a fixed set, and their plans depend on no value.
 */
const MAX_NAMES = 500

/** The name that a connection keeps a text under; undefined for one text too many. */
export const nameOf = (text: string): string | undefined => {
  const known = names.get(text)
  if (known !== undefined || names.size >= MAX_NAMES) return known
  const name = `ers_${hash('sha256', text, 'hex').slice(0, 24)}`
  names.set(text, name)
  return name
}

const named = (token: Token): QuerySqlToken => {
  const slonik = asSlonik(token)
  const name = nameOf(slonik.sql)
  return name === undefined ? slonik : { ...slonik, name }
}
