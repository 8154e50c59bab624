/** The largest amount of money in one figure, in USD: whole micro-USD stay exact. */
export const MAX_USD = 9e9

/** Whole micro-USD of an amount of at most `MAX_USD`. */
export const microUsd = (usd: number): number =>
  // Adding 0 turns minus zero into zero.
  Math.round(usd * 1e6) + 0

/** The text without NUL and lone surrogates, which not every store can hold: U+FFFD replaces both. */
export const clean = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD')
