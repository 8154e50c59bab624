import { hash } from 'node:crypto'

const RESAMPLES = 9_999

/** For more pairs the interval of Student's t is as good, and resampling takes longer than a reader should wait. */
export const MAX_RESAMPLED = 1_000

/** The places of the 2.5 % and 97.5 % quantiles among the sorted means. */
const LOWER = 250
const UPPER = 9_750

const DISCARDED = 12

/**
 * A generator of 32-bit numbers that only depends on the seed: sfc32 of PractRand (C. Doty-Humphrey). Its state is the
 * first 12 bytes of the SHA-256 of the seed, as little-endian words, and a counter that starts with 1. The first 12
 * numbers are discarded.
 */
export const seededNumbers = (seed: string): (() => number) => {
  const bytes = hash('sha256', seed, 'buffer')
  let [a, b, c] = [bytes.readInt32LE(0), bytes.readInt32LE(4), bytes.readInt32LE(8)]
  let counter = 1
  const next = (): number => {
    const drawn = (a + b + counter++) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + drawn) | 0
    return drawn >>> 0
  }
  for (let i = 0; i < DISCARDED; i++) next()
  return next
}

/** The seed of a comparison: the same two runs always get the same interval. */
export const bootstrapSeed = (base: string, head: string): string => `bootstrap/${base}/${head}`

/** The seed of the tests of a run, or of a column of it: the same results always have the same interval. */
export const TESTS_SEED = 'units'

/**
 * The bootstrap percentile interval, 95 %, of the mean of differences (B. Efron, R. J. Tibshirani, An Introduction to
 * the Bootstrap, 1993, chapter 13). Null for fewer than two differences and for more than `MAX_RESAMPLED`.
 */
export const bootstrapInterval = (
  differences: readonly number[],
  seed: string,
): { readonly resamples: number; readonly lower: number; readonly upper: number } | null => {
  const n = differences.length
  if (n < 2 || n > MAX_RESAMPLED) return null
  const values = Float64Array.from(differences)
  const draw = seededNumbers(seed)
  const share = n / 2 ** 32
  const means = new Float64Array(RESAMPLES)
  for (let resample = 0; resample < RESAMPLES; resample++) {
    let sum = 0
    // The product is exact, since n is small and 2^32 a power of two.
    for (let i = 0; i < n; i++) sum += values[Math.floor(draw() * share)] ?? 0
    means[resample] = sum / n
  }
  means.sort()
  const [lower, upper] = [means[LOWER - 1] ?? NaN, means[UPPER - 1] ?? NaN]
  return Number.isFinite(lower) && Number.isFinite(upper) ? { resamples: RESAMPLES, lower, upper } : null
}
