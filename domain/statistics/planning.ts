import { normalQuantile, SIGNIFICANCE, studentQuantile } from './quantiles.ts'

/** The power that is planned for. The exact test reaches 0.76 to 0.78 with these numbers of pairs. */
const POWER = 0.8

const Z_ALPHA = normalQuantile(1 - SIGNIFICANCE / 2)
const Z_BETA = normalQuantile(POWER)

const pairsFor = (difference: number, discordance: number): number =>
  (Z_ALPHA * Math.sqrt(discordance) + Z_BETA * Math.sqrt(discordance - difference ** 2)) ** 2 / difference ** 2

/**
 * The number of pairs that show a difference of two pass rates, if `discordance` is the share of cases that differ
 * between the runs (R. J. Connor, Biometrics 43, 1987, 207-211). Null without a difference, and for a difference larger
 * than the share of cases that differ.
 */
export const pairsNeeded = (difference: number, discordance: number): number | null => {
  const size = Math.abs(difference)
  return size > 0 && size <= discordance && discordance <= 1 ? Math.ceil(pairsFor(size, discordance)) : null
}

/**
 * The smallest difference of two pass rates that this number of pairs shows, by bisection of `pairsNeeded`. Null if
 * these pairs are too few even when all cases that differ differ in the same direction.
 */
export const smallestDifference = (pairs: number, discordance: number): number | null => {
  if (!(discordance > 0) || discordance > 1 || pairsFor(discordance, discordance) > pairs) return null
  let [low, high] = [0, discordance]
  for (let middle = high / 2; middle > low && middle < high; middle = (low + high) / 2) {
    if (pairsFor(middle, discordance) > pairs) low = middle
    else high = middle
  }
  return high
}

/** The smallest difference of two mean scores that pairs with this standard error show (E. Miller, arXiv 2411.00640). */
export const smallestScoreDifference = (standardError: number, df: number): number =>
  (studentQuantile(1 - SIGNIFICANCE / 2, df) + studentQuantile(POWER, df)) * standardError
