import { normalQuantile, SIGNIFICANCE, studentQuantile } from './quantiles.ts'

// Judge and people err together on a test, so the errors of all parts of an estimate are summed by test, at once.

/** What an estimate is made of: the pass share of the run and of the pool, and how often people pass what the judge passed and failed. */
export const PARTS = ['run', 'pool', 'passed', 'failed'] as const
export type Part = (typeof PARTS)[number]
export type Gradient = Readonly<Record<Part, number>>

/** The residuals of a case in the parts that it counts in, each divided by the number of cases of the part. */
export type Residuals = { readonly group: unknown } & Readonly<Record<Part, number>>

/** Products of residuals, summed over pairs of parts: over groups, and over cases as if each were its own group. */
export type Dependence = {
  readonly groups: number
  readonly grouped: Float64Array
  readonly single: Float64Array
}

const SIZE = PARTS.length

const addProducts = (products: Float64Array, values: ArrayLike<number>, offset: number): void => {
  for (let i = 0; i < SIZE; i++)
    for (let j = 0; j < SIZE; j++) products[i * SIZE + j]! += (values[offset + i] ?? 0) * (values[offset + j] ?? 0)
}

/** Sums the residuals of cases by group. Null for fewer than two groups. */
export const dependenceOf = (cases: Iterable<Residuals>): Dependence | null => {
  const numbers = new Map<unknown, number>()
  const sums: number[] = []
  const single = new Float64Array(SIZE * SIZE)
  const own = new Float64Array(SIZE)
  for (const each of cases) {
    let number = numbers.get(each.group)
    if (number === undefined) {
      numbers.set(each.group, (number = numbers.size))
      for (let i = 0; i < SIZE; i++) sums.push(0)
    }
    PARTS.forEach((part, i) => {
      own[i] = each[part]
      sums[number * SIZE + i]! += each[part]
    })
    addProducts(single, own, 0)
  }
  if (numbers.size < 2) return null
  const grouped = new Float64Array(SIZE * SIZE)
  for (let offset = 0; offset < sums.length; offset += SIZE) addProducts(grouped, sums, offset)
  return { groups: numbers.size, grouped, single }
}

const variance = (products: Float64Array, gradient: Gradient): number => {
  let sum = 0
  PARTS.forEach((one, i) =>
    PARTS.forEach((other, j) => (sum += gradient[one] * gradient[other] * (products[i * SIZE + j] ?? 0))),
  )
  return sum
}

const Z = normalQuantile(1 - SIGNIFICANCE / 2)

/**
 * How much more an estimate varies than if its cases were independent: V_c / V_i, with G / (G - 1) for the number of groups
 * (K.-Y. Liang, S. L. Zeger, Biometrika 73, 1986, 13-22). `factor`: what its limits move by, sqrt(max(1, V_c / V_i)) t / z,
 * Student's t with G - 1 degrees of freedom.
 */
export const designEffect = (
  { groups, grouped, single }: Dependence,
  gradient: Gradient,
): { readonly design_effect: number; readonly factor: number } => {
  const independent = variance(single, gradient)
  const effect = independent > 0 ? ((groups / (groups - 1)) * variance(grouped, gradient)) / independent : 1
  const factor = (Math.sqrt(Math.max(1, effect)) * studentQuantile(1 - SIGNIFICANCE / 2, groups - 1)) / Z
  return { design_effect: effect, factor }
}
