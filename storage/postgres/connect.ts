import pg from 'pg'
import { clientConfig, readAddress, type Address, type Tls } from './address.ts'
import { asUnavailable } from './errors.ts'
import type { RawRecord } from '../log/raw-records.ts'

/** The connect timeout in milliseconds if the address has none: a frozen server would never answer. */
const CONNECT_MS = 5_000

/**
 * Connects to `address` with optional further settings. Returns the client and the TLS options that the server
 * accepted: with sslmode `prefer` and `allow` this may be `address.fallback`. Throws the error of the last attempt.
 */
export const connectTo = async (
  address: Address,
  settings: pg.ClientConfig = {},
): Promise<{ readonly client: pg.Client; readonly ssl: Tls }> => {
  const attempt = async (ssl: Tls): Promise<{ client: pg.Client; ssl: Tls }> => {
    const client = new pg.Client({
      ...clientConfig(address, ssl),
      connectionTimeoutMillis: address.connectTimeoutMs ?? CONNECT_MS,
      ...settings,
    })
    // The user of the client gets errors from its queries. Without a listener, a lost connection would end the process.
    client.on('error', () => {})
    try {
      await client.connect()
    } catch (error) {
      // Not awaited: the server may never answer the goodbye.
      client.end().catch(() => {})
      client.connection.stream.destroy()
      throw error
    }
    return { client, ssl }
  }
  try {
    return await attempt(address.ssl)
  } catch (error) {
    if (address.fallback === null || !isAboutTls(error)) throw error
    return attempt(address.fallback)
  }
}

/**
 * Whether the fallback may succeed: the server has no TLS, the handshake failed, or the server rejects this kind of
 * connection. An unreachable server stays unreachable.
 */
const isAboutTls = (error: unknown): boolean => {
  if (error instanceof pg.DatabaseError) return error.code?.startsWith('28') === true
  if (!(error instanceof Error) || error instanceof AggregateError) return false
  if (error.message === 'The server does not support SSL connections') return true
  // A connection that is reset during the handshake may also mean that the server is shutting down.
  return 'code' in error && typeof error.code === 'string' && error.code !== 'ECONNRESET' && !('syscall' in error)
}

/** Reads records in the snapshot of another session. */
export type SnapshotRecords = {
  /** The records from `from` + 1 to `to`, in order. */
  readonly list: (from: number, to: number) => Promise<RawRecord[]>
  readonly close: () => Promise<void>
}

// Numbers as doubles: without a parser of its own, the driver returns other integers as text.
const RECORDS = `
  SELECT CAST(e.seq AS float8), CAST(e.recorded_at AS float8), e.type,
    encode(e.commitment || e.leaf || coalesce(b.salt, ''), 'hex'), b.body, octet_length(b.body), b.stream, CAST(b.version AS float8), b.version IS NULL OR b.version <= 1
      OR EXISTS (SELECT 1 FROM event_bodies p WHERE p.stream = b.stream AND p.version = b.version - 1 AND p.seq < b.seq)
  FROM events e LEFT JOIN event_bodies b ON b.seq = e.seq WHERE e.seq > $1 AND e.seq <= $2 ORDER BY e.seq`

/**
 * Opens a connection in the snapshot that another session exported, without a statement timeout. It uses the driver
 * directly: slonik would make an object of each row.
 */
export const openSnapshotRecords = async (url: string, snapshot: string): Promise<SnapshotRecords> => {
  const { client } = await connectTo(readAddress(url)).catch((error: unknown) => {
    throw asUnavailable(error)
  })
  try {
    await client.query('SET statement_timeout = 0')
    await client.query('SET idle_in_transaction_session_timeout = 0')
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await client.query(`SET TRANSACTION SNAPSHOT ${client.escapeLiteral(snapshot)}`)
  } catch (error) {
    await client.end()
    throw asUnavailable(error)
  }
  return {
    list: async (from, to) => {
      try {
        const { rows } = await client.query<RawRecord & unknown[]>({
          name: 'ers_raw_records',
          text: RECORDS,
          rowMode: 'array',
          values: [from, to],
        })
        return rows
      } catch (error) {
        throw asUnavailable(error)
      }
    },
    close: () => client.end(),
  }
}
