import { z } from 'zod'
import { any, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'

// Hashes of the log's tree belong to no run set, and hide what they are hashes of. Who may read them is decided by the routes.

/** A hash and its number among those of its level. */
const NumberedHash = z.object({ n: z.number(), hash: z.instanceof(Buffer) })
export type NumberedHash = z.infer<typeof NumberedHash>

/**
 * The hashes of a level from number `from` on, at most `count`, in order. The level 0 holds the leaves of the log, the level
 * L the roots of its full subtrees of 256^L leaves.
 */
export const listHashes = (level: number, from: number, count: number): Query<NumberedHash[]> =>
  any(
    level === 0
      ? sql.type(
          NumberedHash,
        )`SELECT seq - 1 AS n, leaf AS hash FROM events WHERE seq > ${from} AND seq <= ${from + count} ORDER BY seq`
      : sql.type(
          NumberedHash,
        )`SELECT n, hash FROM log_nodes WHERE level = ${level} AND n >= ${from} AND n < ${from + count} ORDER BY n`,
  )
