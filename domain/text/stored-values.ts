/** The maximum amount of money in USD. Every amount up to it is exact as a number of whole micro-USD. */
export const MAX_USD = 9e9

/** Converts an amount of at most `MAX_USD` to whole micro-USD. */
export const microUsd = (usd: number): number =>
  // Adding 0 turns minus zero into zero.
  Math.round(usd * 1e6) + 0

/** Replaces NUL and lone surrogates, which not every database can store, by U+FFFD. */
export const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD')
