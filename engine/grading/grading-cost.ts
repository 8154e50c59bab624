import type { StoredGrading } from '../cache/call-cache.ts'
import { usageCost, type Rates } from '../providers/prices.ts'

const MICRO = 1_000_000

/**
 * The cost of a grading call in USD at today's rates, also where the cache answers it. Without usage or rates it is the
 * stored cost; null: not known.
 */
export const gradingCost = (
  { usage, cost_usd }: Pick<StoredGrading, 'usage' | 'cost_usd'>,
  rates: Rates | null,
): number | null => {
  const micro = usage === undefined ? null : usageCost(usage, rates)
  return micro === null ? (cost_usd ?? null) : micro / MICRO
}

/** The sum of costs in USD, exact to a micro-USD; null if one of them is not known. */
export const sumOfCosts = (costs: ReadonlyArray<number | null>): number | null => {
  let micro = 0
  for (const cost of costs) {
    if (cost === null) return null
    micro += Math.round(cost * MICRO)
  }
  return micro / MICRO
}
