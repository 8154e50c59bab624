import type { RawRecord } from '../log/raw-records.ts'
import { readAddress } from './address.ts'
import { connectTo } from './connect.ts'
import { TYPES } from './driver.ts'
import { asUnavailable } from './errors.ts'

/** Reads records in the snapshot of another session. */
export type SnapshotRecords = {
  /** The records from `from` + 1 to `to`, in order. */
  readonly list: (from: number, to: number) => Promise<RawRecord[]>
  readonly close: () => Promise<void>
}

const TEXT = `
  SELECT e.seq, e.recorded_at, e.type, encode(e.commitment || e.leaf || coalesce(b.salt, ''), 'hex'), b.body, octet_length(b.body),
    b.stream, b.version, b.version IS NULL OR b.version <= 1
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
          text: TEXT,
          rowMode: 'array',
          types: TYPES,
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
