import { z } from 'zod'
import { mapped, one, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import type { Suite } from './baselines.ts'

// Keys that open the image of a suite. A key is its own credential, so these queries have no viewer.

/** Maximum number of badge keys of a suite. */
export const MAX_BADGE_KEYS = 20

const Count = z.object({ n: z.number() })

/** How many badge keys a suite has. */
export const countBadgeKeys = ({ project, suite }: Suite): Query<number> =>
  mapped(
    one(sql.type(Count)`SELECT count(*) AS n FROM badge_keys WHERE project = ${project} AND suite = ${suite}`),
    ({ n }) => n,
  )

/** Whether a key opens the image of a suite. `key_sha256` is the SHA-256 of the key, in lower-case hex. */
export const opensBadge = ({ project, suite }: Suite, key_sha256: string): Query<boolean> =>
  mapped(
    one(sql.type(Count)`
      SELECT count(*) AS n FROM badge_keys
      WHERE key_sha256 = ${key_sha256} AND project = ${project} AND suite = ${suite}`),
    ({ n }) => n > 0,
  )
