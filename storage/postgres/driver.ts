import { createDriverFactory } from '@slonik/driver'
import type { DriverFactory } from '@slonik/driver'
import pg from 'pg'
import type { Address } from './address.ts'
import { connectTo } from './connect.ts'

/** A count, a sum or an instant as a number. Throws where a number would lose digits. */
const asNumber = (text: string): number => {
  const number = Number(text)
  if (Number.isInteger(number) && !Number.isSafeInteger(number))
    throw new Error(`${text} is beyond what a number holds`)
  return number
}

// int8, and numeric for sums of it: times are whole milliseconds and money whole micro-USD, all below 2^53.
const NUMBERS: ReadonlySet<number> = new Set([20, 1700])

const typeParser = (oid: number, format?: 'text' | 'binary'): unknown =>
  NUMBERS.has(oid) ? asNumber : format === undefined ? pg.types.getTypeParser(oid) : pg.types.getTypeParser(oid, format)

/** Types as this service has them, for any client. */
export const TYPES = { getTypeParser: typeParser }

// A refused row is quoted there, and what is thrown is logged.
const withoutRow = (error: unknown): never => {
  if (error instanceof pg.DatabaseError) error.detail = undefined
  throw error
}

type Options = {
  readonly address: Address
  readonly connectTimeout: number
  readonly statementTimeout: number
  readonly idleInTransactionTimeout: number
  /** Told of each connection before it is made. */
  readonly onConnect: () => void
}

/**
 * Connections for slonik's pool. Its own driver leaves moments in which nobody listens for the end of a connection, and
 * an end that nobody hears ends the process; it also asks each server for its types, and knows no password but the
 * URL's.
 */
export const driverOf = ({
  address,
  connectTimeout,
  statementTimeout,
  idleInTransactionTimeout,
  onConnect,
}: Options): DriverFactory =>
  createDriverFactory(async () => {
    // What the server took first holds for all that follow: nothing that happens later makes them go on without TLS.
    let way = address
    return {
      createPoolClient: async ({ clientEventEmitter }) => {
        let client: pg.Client | undefined
        return {
          connect: async () => {
            onConnect()
            const settings = {
              connectionTimeoutMillis: connectTimeout,
              statement_timeout: statementTimeout,
              idle_in_transaction_session_timeout: idleInTransactionTimeout,
              types: TYPES,
            }
            const reached = await connectTo(way, settings)
            client = reached.client
            way = { ...address, ssl: reached.ssl, fallback: null }
            // For as long as the client is there, also while it says goodbye.
            client.on('error', (error) => {
              if (clientEventEmitter.listenerCount('error') > 0) clientEventEmitter.emit('error', error)
            })
          },
          end: async () => client?.end(),
          query: async (text, values, options) => {
            if (!client) throw new Error('not connected')
            const { command, fields, rowCount, rows } = await client
              .query({ text, values: values ?? [], ...(options?.name === undefined ? {} : { name: options.name }) })
              .catch(withoutRow)
            return {
              command: command as 'SELECT',
              fields: fields.map(({ dataTypeID, name }) => ({ dataTypeId: dataTypeID, name })),
              rowCount,
              rows: rows as Array<Record<string, unknown>>,
            }
          },
          stream: () => {
            throw new Error('nothing is streamed')
          },
        }
      },
    }
  })
