import type { Client, QueryConfig } from 'pg'
import { Unavailable } from '../errors.ts'
import type { Reader } from '../storage.ts'
import { readAddress } from './address.ts'
import { connectTo } from './connect.ts'
import { TYPES } from './driver.ts'
import { asUnavailable } from './errors.ts'
import { statementName, type PoolOptions } from './pool.ts'

export type PinnedReader = Pick<Reader, 'read'> & { readonly close: () => Promise<void> }

type Options = Pick<PoolOptions, 'url' | 'statementTimeoutMs' | 'onConnect'>

/**
 * Reads over one permanent connection, on which each statement is prepared once. It serves the query that every request
 * makes: slonik's pool would double the cost of that query. After an error the next read opens a new connection.
 */
export const openPinnedReader = async ({
  url,
  statementTimeoutMs,
  onConnect = () => {},
}: Options): Promise<PinnedReader> => {
  const address = readAddress(url)
  let connecting: Promise<Client> | null = null
  let isClosed = false

  const openClient = (): Promise<Client> => {
    if (connecting) return connecting
    onConnect()
    const opened = connectTo(address).then(({ client }) => client)
    connecting = opened
    const forget = (): void => {
      if (connecting === opened) connecting = null
    }
    // If the connection is lost between reads, the next read opens a new one.
    opened.then((client) => client.on('error', forget).on('end', forget), forget)
    return opened
  }

  const discard = (client: Client): void => {
    connecting = null
    // Its state is unknown, and it may never finish disconnecting.
    client.end().catch(() => {})
  }

  return {
    read: async ({ token, shape }) => {
      if (token === null) return shape([])
      if (isClosed) throw new Unavailable('the reader is closed')
      let client: Client | undefined
      try {
        client = await openClient()
        const text = token.sql.replaceAll('$slonik_', '$')
        // The driver supports a query timeout, but its types do not declare it.
        const query: QueryConfig & { readonly query_timeout: number } = {
          ...(address.isPooled ? {} : { name: statementName(text) }),
          text,
          types: TYPES,
          values: [...token.values],
          query_timeout: statementTimeoutMs,
        }
        return shape((await client.query<object>(query)).rows)
      } catch (error) {
        if (client) discard(client)
        throw asUnavailable(error)
      }
    },
    close: async () => {
      isClosed = true
      const client = await connecting?.catch(() => null)
      await client?.end().catch(() => {})
    },
  }
}
