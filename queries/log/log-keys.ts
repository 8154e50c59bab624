import { z } from 'zod'
import { any, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'

// The keys of the log are public.

/** A key that has signed checkpoints of this log. `continues` is JSON or null; times are in epoch milliseconds. */
const LogKey = z.object({
  key_id: z.string(),
  origin: z.string(),
  vkey: z.string(),
  continues: z.string().nullable(),
  adopted_at: z.number(),
  adopted_seq: z.number(),
  /** Null while it signs. */
  retired_at: z.number().nullable(),
})
export type LogKey = z.infer<typeof LogKey>

/** All keys, also those that do not sign any more, in the order of their adoption. */
export const listLogKeys: Query<LogKey[]> = any(sql.type(LogKey)`
  SELECT key_id, origin, vkey, continues, adopted_at, adopted_seq, retired_at FROM log_keys ORDER BY adopted_seq, key_id`)
