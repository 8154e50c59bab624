import type { Client, QueryConfig } from 'pg'
import { Unavailable } from '../errors.ts'
import type { Reader } from '../storage.ts'
import { readAddress } from './address.ts'
import { connectTo } from './connect.ts'
import { TYPES } from './driver.ts'
import { asUnavailable } from './errors.ts'
import { nameOf } from './pool.ts'
import type { PoolOptions } from './pool.ts'

export type PinnedReader = Pick<Reader, 'read'> & { readonly close: () => Promise<void> }

type Options = Pick<PoolOptions, 'url' | 'statementTimeout' | 'onConnect'>

/**
 * Reads over one permanent connection, on which each statement is prepared once. For the query of every request, where
 * slonik's pool would cost as much again as the query. After an error the next read opens a new connection.
 */
export const openPinnedReader = async ({
  url,
  statementTimeout,
  onConnect = () => {},
}: Options): Promise<PinnedReader> => {
  const address = readAddress(url)
  let held: Promise<Client> | null = null
  let isClosed = false

  const take = (): Promise<Client> => {
    if (held) return held
    onConnect()
    const mine = connectTo(address).then(({ client }) => client)
    held = mine
    const letGo = (): void => {
      if (held === mine) held = null
    }
    // If the connection is lost between reads, the next read opens a new one.
    mine.then((client) => client.on('error', letGo).on('end', letGo), letGo)
    return mine
  }

  const drop = (client: Client): void => {
    held = null
    // Its state is unknown, and it may never finish disconnecting.
    client.end().catch(() => {})
  }

  return {
    read: async ({ token, shape }) => {
      if (token === null) return shape([])
      if (isClosed) throw new Unavailable('the reader is closed')
      let client: Client | undefined
      try {
        client = await take()
        const text = token.sql.replaceAll('$slonik_', '$')
        // The driver's types lack its own query timeout.
        const query: QueryConfig & { readonly query_timeout: number } = {
          name: nameOf(text),
          text,
          types: TYPES,
          values: [...token.values],
          query_timeout: statementTimeout,
        }
        return shape((await client.query<object>(query)).rows)
      } catch (error) {
        if (client) drop(client)
        throw asUnavailable(error)
      }
    },
    close: async () => {
      isClosed = true
      const client = await held?.catch(() => null)
      await client?.end().catch(() => {})
    },
  }
}
