import { hash } from 'node:crypto'
import {
  createPool,
  type DatabasePool,
  type DatabasePoolConnection,
  type Interceptor,
  type QuerySqlToken,
} from 'slonik'
import { z } from 'zod'
import { askAll, runAsync } from '../commit/steps.ts'
import { Busy, Unavailable } from '../errors.ts'
import { any, sql } from '../sql.ts'
import type { Queries, Query, Results, Statement, Token } from '../storage.ts'
import { readAddress } from './address.ts'
import { driverOf } from './driver.ts'
import { asUnavailable } from './errors.ts'
import { insertStatements } from './insert-rows.ts'

export type PoolOptions = {
  /** In the syntax of libpq. */
  readonly url: string
  readonly connections: number
  /**
   * The maximum duration of one statement in milliseconds. The server cancels it then. If the server does not respond,
   * the statement is abandoned shortly afterwards.
   */
  readonly statementTimeoutMs: number
  /**
   * The maximum time in milliseconds that a read waits for a free connection, and that a connection attempt waits for
   * the server. For connection attempts, a connect timeout in the URL takes precedence.
   */
  readonly connectTimeoutMs?: number
  /** Checks every row against its schema: for specs. */
  readonly checkRows?: boolean
  /** Called before each connection attempt. */
  readonly onConnect?: () => void
}

/** One connection for the duration of some work: its statements run in order and may form a transaction. */
export type PostgresConnection = {
  readonly read: <T>(query: Query<T>) => Promise<T>
  readonly run: (statement: Statement) => Promise<void>
  /** Runs a statement of fixed text without values, such as BEGIN. */
  readonly control: (text: string) => Promise<void>
}

export type PostgresPool = {
  readonly read: <T>(query: Query<T>) => Promise<T>
  /** Runs several queries in one snapshot. */
  readonly readAll: <Q extends Queries>(queries: Q) => Promise<Results<Q>>
  /**
   * Runs work on a connection of its own. If the work throws, the connection is closed and its open transaction is
   * rolled back.
   */
  readonly withConnection: <T>(work: (connection: PostgresConnection) => Promise<T>) => Promise<T>
  readonly close: () => Promise<void>
}

/** The maximum number of reads that wait for a connection; the next one is rejected with 503 and Retry-After. */
const MAX_WAITING = 500

/**
 * The time in milliseconds after the server's own timeout at which a statement is abandoned: a frozen or disconnected
 * server cancels nothing.
 */
const GRACE_MS = 1_000

/**
 * The maximum time in milliseconds that the server lets a transaction wait for its client. A client that froze or
 * crashed cannot block the log for longer.
 */
const IDLE_TRANSACTION_MS = 20_000

/** The default of `connectTimeoutMs`. */
const CONNECT_MS = 5_000

/** The maximum time in milliseconds that a closed connection gets to end its statement, and then to disconnect. */
const GOODBYE_MS = 100

type StandardSchema = { readonly '~standard'?: { validate: (value: unknown) => unknown } }

const rowChecker: Interceptor = {
  name: 'check-rows',
  transformRow: ({ resultParser }, { sql: text }, row) => {
    const result = (resultParser as StandardSchema | undefined)?.['~standard']?.validate(row) as
      | { issues?: unknown }
      | undefined
    if (result?.issues) throw new Error(`a row does not fit its schema: ${JSON.stringify(result.issues)} in ${text}`)
    return row
  },
}

/** Opens slonik's pool with one connection. Throws like `openPool`. */
const openSlonikPool = async ({
  url,
  connections,
  statementTimeoutMs,
  connectTimeoutMs = CONNECT_MS,
  checkRows = false,
  onConnect = () => {},
}: PoolOptions): Promise<DatabasePool> => {
  let pool: DatabasePool
  try {
    const address = readAddress(url)
    pool = await createPool(address.dsn, {
      driverFactory: driverOf({
        address,
        connectTimeoutMs: address.connectTimeoutMs ?? connectTimeoutMs,
        statementTimeoutMs,
        idleInTransactionTimeoutMs: IDLE_TRANSACTION_MS,
        onConnect,
      }),
      // This limit is never reached: reads wait for one of the `connectionSlots` instead, because slonik forgets its
      // waiting callers when a connection is lost.
      maxPoolSize: connections * 4,
      gracefulTerminationTimeout: GOODBYE_MS,
      // Fails immediately instead of after several attempts: the client may retry.
      connectionRetryLimit: 0,
      queryRetryLimit: 0,
      transactionRetryLimit: 0,
      idleTimeout: 60_000,
      // No session state outlives its use here, so nothing needs a reset. A reset would also drop prepared statements.
      resetConnection: async () => {},
      interceptors: checkRows ? [rowChecker] : [],
    })
  } catch (error) {
    throw asUnavailable(error)
  }
  // The callers receive each error; without a listener it would end the process.
  pool.on('error', () => {})
  try {
    // Fails now if the server is unreachable or rejects us. Otherwise the connection remains for the first read.
    await pool.connect(async () => {})
  } catch (error) {
    await pool.end()
    // The cause is the server's own error: slonik reports every rejection as a lost connection.
    throw asUnavailable(error instanceof Error && error.cause instanceof Error ? error.cause : error)
  }
  return pool
}

/**
 * Limits the number of connections in use. `acquire` waits for a free one, in order of arrival. `p-queue` has a time
 * limit for the work, but none for the wait. With an abort signal for the wait, `p-queue` adds 7 µs to each read; this
 * function adds 0.3.
 */
const connectionSlots = (connections: number, timeoutMs: number) => {
  let inUse = 0
  const waiting: Array<() => void> = []
  return {
    acquire: async (): Promise<void> => {
      if (inUse < connections) return void inUse++
      if (waiting.length >= MAX_WAITING) throw new Busy('too many reads are waiting for a database connection')
      const slot = Promise.withResolvers<void>()
      waiting.push(slot.resolve)
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(slot.resolve), 1)
        slot.reject(new Unavailable('no database connection became free in time'))
      }, timeoutMs)
      await slot.promise.finally(() => clearTimeout(timer))
    },
    release: (): void => {
      const next = waiting.shift()
      if (next) next()
      else inUse--
    },
  }
}

/** The column types of tables. Each is queried once, since only a migration changes them. */
const columnTypes = () => {
  const types = new Map<string, Promise<ReadonlyMap<string, string>>>()
  return (table: string, read: PostgresConnection['read']): Promise<ReadonlyMap<string, string>> => {
    const request =
      types.get(table) ?? read(listColumns(table)).then((rows) => new Map(rows.map(({ name, type }) => [name, type])))
    types.set(table, request)
    // A failed query is repeated on the next call.
    request.catch(() => types.delete(table))
    return request
  }
}

/**
 * Opens a pool. Throws `Unavailable` if the server is unreachable, or the server's own error if it rejects the
 * connection.
 */
export const openPool = async (options: PoolOptions): Promise<PostgresPool> => {
  const { connections, statementTimeoutMs, connectTimeoutMs = CONNECT_MS } = options
  const pool = await openSlonikPool(options)
  const slots = connectionSlots(connections, connectTimeoutMs)
  const connect = async <T>(work: (connection: DatabasePoolConnection) => Promise<T>): Promise<T> => {
    await slots.acquire()
    try {
      return await pool.connect(work)
    } catch (error) {
      throw asUnavailable(error)
    } finally {
      slots.release()
    }
  }

  const typesOf = columnTypes()

  /**
   * Runs one statement. If the statement is abandoned, its connection is closed, so that no other statement receives
   * the late result.
   */
  const execute = (connection: DatabasePoolConnection, token: QuerySqlToken) =>
    withTimeout(statementTimeoutMs + GRACE_MS, connection.query(token))

  const asConnection = (connection: DatabasePoolConnection): PostgresConnection => {
    const read: PostgresConnection['read'] = async ({ token, shape, isPrepared }) => {
      if (token === null) return shape([])
      try {
        return shape((await execute(connection, readToken(token, isPrepared))).rows)
      } catch (error) {
        throw asUnavailable(error)
      }
    }
    const run = async (token: Token): Promise<void> => {
      try {
        await execute(connection, namedToken(token))
      } catch (error) {
        throw asUnavailable(error)
      }
    }
    return {
      read,
      run: async (statement) => {
        if (!('table' in statement)) return run(statement)
        const rows = statement.postgres ?? statement
        for (const token of insertStatements(rows, await typesOf(rows.table, read))) await run(token)
      },
      control: (text) => run({ ...sql.unsafe``, sql: text }),
    }
  }

  return {
    read: async ({ token, shape, isPrepared }) => {
      if (token === null) return shape([])
      return connect(async (connection) => shape((await execute(connection, readToken(token, isPrepared))).rows))
    },
    readAll: async (queries) => {
      const queriesWithToken = Object.values(queries).filter(({ token }) => token !== null)
      return connect(async (connection) => {
        const { read, control } = asConnection(connection)
        const steps = { read, run: () => Promise.reject(new Error('a read writes nothing')) }
        // One statement is a snapshot by itself.
        if (queriesWithToken.length <= 1) return runAsync(askAll(queries), steps)
        await control('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
        const results = await runAsync(askAll(queries), steps)
        await control('COMMIT')
        return results
      })
    },
    withConnection: (work) => connect((connection) => work(asConnection(connection))),
    close: () => pool.end(),
  }
}

/** Limits the wait for a response of the server. An abandoned statement may still have been executed. */
const withTimeout = async <T>(timeoutMs: number, work: Promise<T>): Promise<T> => {
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => timeout.reject(new Unavailable('the database does not answer')), timeoutMs)
  try {
    return await Promise.race([work, timeout.promise])
  } finally {
    clearTimeout(timer)
  }
}

const Column = z.object({ name: z.string(), type: z.string() })

const listColumns = (table: string): Query<Array<z.infer<typeof Column>>> =>
  any(sql.type(Column)`
    SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
    WHERE attrelid = CAST(${`"${table}"`} AS regclass) AND attnum > 0 AND NOT attisdropped`)

/** The token with its text for PostgreSQL. The tags are slonik's own; only our types differ. */
const asSlonik = (token: Token): QuerySqlToken => (token.postgres ?? token) as unknown as QuerySqlToken

/** Longer than any stored name may be, so that it equals none of them. */
const NOT_A_NAME = '\u{fffe}'.repeat(200)

/**
 * PostgreSQL rejects a text with NUL, and no stored text can equal it. So it is replaced by another text that no stored
 * text equals.
 */
const readToken = (token: Token, isPrepared?: true): QuerySqlToken => {
  const slonik = isPrepared ? namedToken(token) : asSlonik(token)
  const hasNul = (value: unknown): value is string => typeof value === 'string' && value.includes('\0')
  return slonik.values.some(hasNul)
    ? { ...slonik, values: slonik.values.map((value) => (hasNul(value) ? value.replaceAll('\0', NOT_A_NAME) : value)) }
    : slonik
}

const names = new Map<string, string>()

/**
 * The maximum number of statements that a connection keeps prepared. Their texts come from a fixed set, and their plans
 * depend on no value. An LRU cache does not fit: a connection would still hold the statement of an evicted name.
 */
const MAX_NAMES = 500

/** The name of a prepared statement; undefined if there are too many texts. */
export const statementName = (text: string): string | undefined => {
  const existing = names.get(text)
  if (existing !== undefined || names.size >= MAX_NAMES) return existing
  const name = `ers_${hash('sha256', text, 'hex').slice(0, 24)}`
  names.set(text, name)
  return name
}

const namedToken = (token: Token): QuerySqlToken => {
  const slonik = asSlonik(token)
  const name = statementName(slonik.sql)
  return name === undefined ? slonik : { ...slonik, name }
}
