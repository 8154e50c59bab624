import { z } from 'zod'
import { any, mapped, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'

const Unstored = z.object({ state: z.enum(['writing', 'deleting']), n: z.number() })

/** The number of objects of a bucket whose bytes are being written, and of those whose bytes are to be removed. */
export const countUnstored: Query<{ readonly writing: number; readonly deleting: number }> = mapped(
  any(
    sql.type(
      Unstored,
    )`SELECT state, count(*) AS n FROM objects WHERE place = 's3' AND state <> 'stored' GROUP BY state`,
  ),
  (rows) => ({ writing: 0, deleting: 0, ...Object.fromEntries(rows.map(({ state, n }) => [state, n])) }),
)
