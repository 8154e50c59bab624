import type { PartLimits } from '../../../runtime/evidence/part-store.ts'

/** The limits of parts that the service has by default on a state directory. */
export const PART_LIMITS: PartLimits = {
  maxBytes: 5 * 1024 ** 3,
  maxRunBytes: 20 * 1024 ** 3,
  staged: { maxBytes: 50 * 1024 ** 3, maxParts: 200_000, hours: 24 },
}
