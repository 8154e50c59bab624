import pg from 'pg'
import { clientConfig } from './address.ts'
import type { Address, Tls } from './address.ts'

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
