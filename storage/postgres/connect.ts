import pg from 'pg'
import { clientConfig } from './address.ts'
import type { Address, Tls } from './address.ts'

/**
 * Milliseconds that a connection may take where the address does not say: a server that is frozen would never answer.
 */
const CONNECT_MS = 5_000

/**
 * Connects to `address`, with further settings where they are given, and answers the connected client with the TLS that
 * the server took: for sslmode `prefer` and `allow` this may be `address.fallback`. Throws what the last try failed
 * with.
 */
export const connectTo = async (
  address: Address,
  settings: pg.ClientConfig = {},
): Promise<{ readonly client: pg.Client; readonly ssl: Tls }> => {
  const connected = async (ssl: Tls): Promise<{ client: pg.Client; ssl: Tls }> => {
    const client = new pg.Client({
      ...clientConfig(address, ssl),
      connectionTimeoutMillis: address.connectTimeoutMs ?? CONNECT_MS,
      ...settings,
    })
    // Whoever uses it is told by what it asks; an end that nobody hears would end the process.
    client.on('error', () => {})
    try {
      await client.connect()
    } catch (error) {
      // Its goodbye is not waited for: the other end may never say one.
      client.end().catch(() => {})
      client.connection.stream.destroy()
      throw error
    }
    return { client, ssl }
  }
  try {
    return await connected(address.ssl)
  } catch (error) {
    if (address.fallback === null || !isAboutTls(error)) throw error
    return connected(address.fallback)
  }
}

/**
 * Whether the other way may succeed: the server has no TLS, the handshake failed, or it lets nobody in this way. A
 * server that is away is away.
 */
const isAboutTls = (error: unknown): boolean => {
  if (error instanceof pg.DatabaseError) return error.code?.startsWith('28') === true
  if (!(error instanceof Error) || error instanceof AggregateError) return false
  if (error.message === 'The server does not support SSL connections') return true
  // Cut off amid a handshake, it may as well be on its way down.
  return 'code' in error && typeof error.code === 'string' && error.code !== 'ECONNRESET' && !('syscall' in error)
}
