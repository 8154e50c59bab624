import { SYSTEM } from '../../queries/access/viewer.ts'
import { listCheckpointTimes } from '../../queries/log/checkpoints.ts'
import type { Reader } from '../../storage/storage.ts'
import type { OpenService } from '../services.ts'

const DAY_MS = 86_400_000

/** After this age, only the last checkpoint of each UTC day is kept. */
const MAX_AGE_MS = 30 * DAY_MS

/** How many checkpoints one commit deletes: other commits wait for it. */
const BATCH = 1000

export const dayNumber = (time: number): number => Math.floor(time / DAY_MS)

/**
 * Deletes the checkpoints that are older than 30 days, except the last one of each UTC day. Times mostly grow with sizes,
 * so it ends at the first batch in which none is old.
 */
export const thinCheckpoints = async (
  { reader, commit }: Pick<OpenService, 'commit'> & { readonly reader: Reader },
  now: number,
): Promise<void> => {
  const isOld = (signed_at: number): boolean => signed_at < now - MAX_AGE_MS
  for (let above = 0, isLast = false; !isLast;) {
    const rows = await reader.read(listCheckpointTimes(above, BATCH + 1))
    const sizes = rows.flatMap(({ size, signed_at }, n) => {
      const next = rows[n + 1]
      return next && isOld(signed_at) && dayNumber(next.signed_at) === dayNumber(signed_at) ? [size] : []
    })
    if (sizes.length > 0) await commit.deleteCheckpoints(SYSTEM, { sizes })
    isLast = rows.length <= BATCH || !rows.some(({ signed_at }) => isOld(signed_at))
    // The last one of the batch is compared with the first one of the next.
    above = rows[BATCH - 1]?.size ?? above
  }
}
