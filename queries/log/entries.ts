import { z } from 'zod'
import { logEntry } from '../../storage/log/event.ts'
import { any, mapped, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'

// Entries have the type and the time of every record, also of restricted run sets: only viewers who see every run set
// may read them. The routes check this.

const EntryRow = z.object({ recorded_at: z.number(), type: z.string(), commitment: z.instanceof(Buffer) })

/** The entries of the tree from an index on, in order, each as its exact text. `from` counts from 0. */
export const listEntries = (from: number, count: number): Query<string[]> =>
  mapped(
    any(sql.type(EntryRow)`
      SELECT recorded_at, type, commitment FROM events WHERE seq > ${from} AND seq <= ${from + count} ORDER BY seq`),
    (rows) => rows.map(({ commitment, recorded_at, type }) => logEntry(commitment, recorded_at, type)),
  )

/** An entry bundle of c2sp.org/tlog-tiles: each entry after its length in two bytes, big-endian. */
export const entryBundle = (entries: readonly string[]): Buffer =>
  Buffer.concat(
    entries.flatMap((entry) => {
      const bytes = Buffer.from(entry)
      const length = Buffer.alloc(2)
      length.writeUInt16BE(bytes.length)
      return [length, bytes]
    }),
  )
