import { z } from 'zod'
import { one, sql } from '../storage/sql.ts'
import type { Query } from '../storage/storage.ts'

const Times = z.object({
  newest: z.number().nullable(),
  last_before: z.number().nullable(),
  first_after: z.number().nullable(),
})

/**
 * Times of records in epoch milliseconds: of the newest record, and of the records before and after an instant. Null if
 * there is none.
 */
export type LogTimes = z.infer<typeof Times>

/**
 * The times of the log around an instant. Times never decrease along the log, so a binary search finds the first record
 * after it.
 */
export const findLogTimes = (around: number): Query<LogTimes> =>
  // Every record up to `low` is at or before the instant, and every record above `high` is after it.
  one(sql.type(Times)`
    WITH RECURSIVE halves AS (
      SELECT CAST(0 AS bigint) AS low, CAST(coalesce(max(seq), 0) AS bigint) AS high FROM events
      UNION ALL
      SELECT
        CASE WHEN events.recorded_at <= ${around} THEN events.seq ELSE low END,
        CASE WHEN events.recorded_at <= ${around} THEN high ELSE events.seq - 1 END
      FROM halves JOIN events ON events.seq = (low + high + 1) / 2
      WHERE low < high
    )
    SELECT
      (SELECT recorded_at FROM events ORDER BY seq DESC LIMIT 1) AS newest,
      (SELECT recorded_at FROM events WHERE seq = (SELECT max(low) FROM halves)) AS last_before,
      (SELECT recorded_at FROM events WHERE seq = (SELECT max(low) FROM halves) + 1) AS first_after`)
