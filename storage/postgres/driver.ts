import { createDriverFactory, type DriverFactory } from '@slonik/driver'
import pg from 'pg'
import type { Address } from './address.ts'
import { connectTo } from './connect.ts'

/** A count, a sum or an instant as a number. Throws if the number would lose digits. */
const asNumber = (text: string): number => {
  const number = Number(text)
  if (Number.isInteger(number) && !Number.isSafeInteger(number))
    throw new Error(`${text} exceeds the precision of a number`)
  return number
}

// int8, and numeric for sums of it. Times are whole milliseconds and amounts whole micro-USD, all below 2^53.
const NUMBERS: ReadonlySet<number> = new Set([20, 1700])

const typeParser = (oid: number, format?: 'text' | 'binary'): unknown =>
  NUMBERS.has(oid) ? asNumber : format === undefined ? pg.types.getTypeParser(oid) : pg.types.getTypeParser(oid, format)

/** The type parsers of this service, for any client. */
export const TYPES = { getTypeParser: typeParser }

// Removes the detail of a database error: it quotes the rejected row, and thrown errors are logged.
const withoutRow = (error: unknown): never => {
  if (error instanceof pg.DatabaseError) error.detail = undefined
  throw error
}

type Options = {
  readonly address: Address
  readonly connectTimeoutMs: number
  readonly statementTimeoutMs: number
  readonly idleInTransactionTimeoutMs: number
  /** Called before each connection attempt. */
  readonly onConnect: () => void
}

/**
 * Creates the connections of slonik's pool. Slonik's own driver is not used: at some moments it has no listener for
 * connection errors, and an error without a listener ends the process. It also queries each server for its types, and
 * accepts a password only from the URL.
 */
export const driverOf = ({
  address,
  connectTimeoutMs,
  statementTimeoutMs,
  idleInTransactionTimeoutMs,
  onConnect,
}: Options): DriverFactory =>
  createDriverFactory(async () => {
    // All later connections use the TLS options that the server accepted for the first one: nothing can disable TLS
    // later.
    let nextAddress = address
    return {
      createPoolClient: async ({ clientEventEmitter }) => {
        let client: pg.Client | undefined
        return {
          connect: async () => {
            onConnect()
            const limits = {
              statement_timeout: statementTimeoutMs,
              idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
            }
            const settings = {
              connectionTimeoutMillis: connectTimeoutMs,
              types: TYPES,
              // A pooler rejects them at the start of a connection. The role has them there.
              ...(address.isPooled ? {} : limits),
            }
            const connected = await connectTo(nextAddress, settings)
            client = connected.client
            nextAddress = { ...address, ssl: connected.ssl, fallback: null }
            // Stays registered for the whole life of the client, also while it disconnects.
            client.on('error', (error) => {
              if (clientEventEmitter.listenerCount('error') > 0) clientEventEmitter.emit('error', error)
            })
          },
          end: async () => client?.end(),
          query: async (text, values, options) => {
            if (!client) throw new Error('not connected')
            const { command, fields, rowCount, rows } = await client
              .query({
                text,
                values: values ?? [],
                ...(options?.name === undefined || address.isPooled ? {} : { name: options.name }),
              })
              .catch(withoutRow)
            return {
              command: command as 'SELECT',
              fields: fields.map(({ dataTypeID, name }) => ({ dataTypeId: dataTypeID, name })),
              rowCount,
              rows: rows as Array<Record<string, unknown>>,
            }
          },
          stream: () => {
            throw new Error('streaming is not supported')
          },
        }
      },
    }
  })
