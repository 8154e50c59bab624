import type { RawRecord } from '../log/raw-records.ts'
import type { Connection } from './connection.ts'

/**
 * Reads the records from `from` + 1 to `to`, in order, on the open snapshot. Hex and lengths come from SQLite, and rows are
 * arrays without buffers: 1.9 µs a record instead of 3.5.
 */
export const iterateRecords = ({ database }: Connection, from: number, to: number): IterableIterator<RawRecord> =>
  database
    .prepare(
      `SELECT e.seq, e.recorded_at, e.type, lower(hex(e.commitment || e.leaf || coalesce(b.salt, ''))), b.body, octet_length(b.body),
        b.stream, b.version, b.version IS NULL OR b.version <= 1
          OR EXISTS (SELECT 1 FROM event_bodies p WHERE p.stream = b.stream AND p.version = b.version - 1 AND p.seq < b.seq)
       FROM events e LEFT JOIN event_bodies b ON b.seq = e.seq WHERE e.seq > ? AND e.seq <= ? ORDER BY e.seq`,
    )
    .raw()
    .iterate(from, to) as IterableIterator<RawRecord>
