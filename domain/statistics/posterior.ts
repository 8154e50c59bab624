import { betaQuantiles, normalQuantile, SIGNIFICANCE } from './quantiles.ts'

// What is believed about rates that were counted, as 4,096 draws of each at the points of a Halton sequence (J. H. Halton,
// Numer. Math. 2, 1960, 84-90). Nothing is random: every implementation gets the same digits.

export const DRAWS = 4096

/** The radical inverse of a whole number from 1: its digits in the base, mirrored at the point. */
export const halton = (point: number, base: number): number => {
  let inverse = 0
  for (let left = point, share = 1 / base; left > 0; left = Math.floor(left / base), share /= base)
    inverse += (left % base) * share
  return inverse
}

/** The base of the points of each rate; the difference of two runs has that of the run. */
const BASES = { run: 2, pool: 3, passed: 5, failed: 7 } as const
export type Source = keyof typeof BASES

type Points = { readonly ascending: Float64Array; readonly places: Uint16Array }
const known = new Map<Source, Points>()

/** The points of a source in ascending order, and the place of each in the sequence. */
const pointsOf = (source: Source): Points => {
  const found = known.get(source)
  if (found) return found
  const points = Float64Array.from({ length: DRAWS }, (_, i) => halton(i + 1, BASES[source]))
  const places = Uint16Array.from(points.keys()).sort((i, j) => (points[i] ?? 0) - (points[j] ?? 0))
  const made = { ascending: Float64Array.from(places, (i) => points[i] ?? 0), places }
  known.set(source, made)
  return made
}

const inSequence = (source: Source, draw: (ascending: Float64Array) => Float64Array): Float64Array => {
  const { ascending, places } = pointsOf(source)
  const drawn = draw(ascending)
  const draws = new Float64Array(DRAWS)
  places.forEach((place, i) => (draws[place] = drawn[i] ?? 0))
  return draws
}

/** Draws of the rate behind `count` of `of`, by the prior of Jeffreys: Beta(count + 1/2, of - count + 1/2). Counts may be fractions. */
export const rateDraws = (source: Source, count: number, of: number): Float64Array =>
  inSequence(source, (points) => betaQuantiles(count + 0.5, of - count + 0.5, points))

/** Draws of a normal distribution, at the points of the run. */
export const normalDraws = (mean: number, se: number): Float64Array =>
  inSequence('run', (points) => points.map((p) => mean + se * normalQuantile(p)))

/** A quantile of ascending values, linear between two of them (type 7 of R. J. Hyndman, Y. Fan, Am. Stat. 50, 1996). */
const quantileOf = (ascending: Float64Array, share: number): number => {
  const place = (ascending.length - 1) * share
  const below = Math.floor(place)
  const lower = ascending[below] ?? NaN
  const upper = ascending[below + 1] ?? lower
  return lower + (place - below) * (upper - lower)
}

/** An estimate with its 95 % interval. */
export type Estimate = { readonly estimate: number; readonly lower: number; readonly upper: number }

/** The median of draws, and their 2.5 % and 97.5 % quantiles. */
export const estimateOf = (draws: Float64Array): Estimate => {
  const ascending = Float64Array.from(draws).sort()
  return {
    estimate: quantileOf(ascending, 0.5),
    lower: quantileOf(ascending, SIGNIFICANCE / 2),
    upper: quantileOf(ascending, 1 - SIGNIFICANCE / 2),
  }
}

/** Where the limits of an estimate move: shares by their logits, coefficients from -1 to 1 by Fisher's z, differences as they are. */
export type Scale = 'share' | 'coefficient' | 'difference'

const SCALES = {
  share: { to: (x: number) => Math.log(x / (1 - x)), from: (z: number) => 1 / (1 + Math.exp(-z)) },
  coefficient: { to: Math.atanh, from: Math.tanh },
  difference: { to: (x: number) => x, from: (z: number) => z },
}

/** Moves the limits of an estimate away from it by a factor. */
export const widened = ({ estimate, lower, upper }: Estimate, factor: number, scale: Scale): Estimate => {
  const { to, from } = SCALES[scale]
  const middle = to(estimate)
  const moved = (limit: number): number => from(middle + factor * (to(limit) - middle))
  return { estimate, lower: moved(lower), upper: moved(upper) }
}
