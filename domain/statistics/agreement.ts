import { SIGNIFICANCE, studentQuantile } from './quantiles.ts'
import { passRate } from './statistics.ts'

// How far people agree who labelled the same items, beyond chance.

/** The labels of each item, each a category; missing labels are left out. Items without a label count for nothing. */
export type Ratings<L> = ReadonlyArray<readonly L[]>

/** How far two labels agree: 1 if they are equal, down to 0. */
export type Weights<L> = (one: L, other: L) => number

export const nominal: Weights<unknown> = (one, other) => (one === other ? 1 : 0)

const spanOf = (values: readonly number[]): number =>
  values.reduce((a, b) => Math.max(a, b)) - values.reduce((a, b) => Math.min(a, b))

/** 1 - |d| / range. */
export const linear = (values: readonly number[]): Weights<number> => {
  const range = spanOf(values)
  return (one, other) => (one === other ? 1 : 1 - Math.abs(one - other) / range)
}

/** 1 - (d / range)^2. */
export const quadratic = (values: readonly number[]): Weights<number> => {
  const range = spanOf(values)
  return (one, other) => (one === other ? 1 : 1 - ((one - other) / range) ** 2)
}

/** 1 - C(|d| + 1, 2) / C(q, 2), d in ranks of the q values (K. L. Gwet, Handbook of Inter-Rater Reliability, 2021, chapter 3). */
export const ordinal = (values: readonly number[]): Weights<number> => {
  const ranks = new Map([...new Set(values)].sort((a, b) => a - b).map((value, rank) => [value, rank]))
  const most = ranks.size * (ranks.size - 1)
  return (one, other) => {
    const apart = Math.abs((ranks.get(one) ?? 0) - (ranks.get(other) ?? 0))
    return apart === 0 ? 1 : 1 - (apart * (apart + 1)) / most
  }
}

/**
 * The metric of Krippendorff for ordered values (K. Krippendorff, Content Analysis, 2019, chapter 12), as weights: a distance
 * is the number of labels between two values, half of their own included, and is squared.
 */
const ordinalByUse = (items: Ratings<number>): Weights<number> => {
  const used = new Map<number, number>()
  for (const labels of items) for (const label of labels) used.set(label, (used.get(label) ?? 0) + 1)
  const below = new Map<number, number>()
  let sum = 0
  for (const [value, count] of [...used].sort(([a], [b]) => a - b)) {
    below.set(value, sum + count / 2)
    sum += count
  }
  const middles = [...below.values()]
  const most = spanOf(middles) ** 2
  return (one, other) => (one === other ? 1 : 1 - ((below.get(one) ?? 0) - (below.get(other) ?? 0)) ** 2 / most)
}

/** The weights of sets of categories, each as JSON text of a sorted list: the share of all their members that both have (P. Jaccard). */
export const jaccard: Weights<string> = (one, other) => {
  if (one === other) return 1
  const [a, b] = [JSON.parse(one) as string[], JSON.parse(other) as string[]]
  const shared = a.filter((member) => b.includes(member)).length
  return shared / (a.length + b.length - shared)
}

/**
 * A coefficient of agreement, 1 for full agreement and 0 for that of chance. `observed` and `expected`: the agreement that
 * there is, and that of chance. `units`: the items, or the groups of them, that its error is from.
 */
export type Coefficient = {
  readonly estimate: number
  readonly se: number
  readonly lower: number
  readonly upper: number
  readonly observed: number
  readonly expected: number
  readonly units: number
}

/**
 * The 95 % interval of a coefficient on the scale of Fisher's z: tanh(atanh c -+ t se / (1 - c^2)), Student's t with units - 1
 * degrees of freedom. The coefficient is between -1 and 1, without them.
 */
export const fisherInterval = (
  estimate: number,
  se: number,
  units: number,
): { readonly lower: number; readonly upper: number } => {
  const margin = (studentQuantile(1 - SIGNIFICANCE / 2, units - 1) * se) / (1 - estimate ** 2)
  return { lower: Math.tanh(Math.atanh(estimate) - margin), upper: Math.tanh(Math.atanh(estimate) + margin) }
}

/** An item: how many labels it has, and how many of each category. */
type Unit = { readonly labels: number; readonly counts: ReadonlyArray<readonly [category: number, count: number]> }

type Table<L> = {
  readonly categories: readonly L[]
  readonly units: readonly Unit[]
  /** The place of each unit among the items that were given. */
  readonly places: readonly number[]
}

const tabulated = <L>(items: Ratings<L>, fewest: number): Table<L> => {
  const numbers = new Map<L, number>()
  const units: Unit[] = []
  const places: number[] = []
  for (const [place, labels] of items.entries()) {
    if (labels.length < fewest) continue
    const counts = new Map<number, number>()
    for (const label of labels) {
      let category = numbers.get(label)
      if (category === undefined) numbers.set(label, (category = numbers.size))
      counts.set(category, (counts.get(category) ?? 0) + 1)
    }
    units.push({ labels: labels.length, counts: [...counts] })
    places.push(place)
  }
  return { categories: [...numbers.keys()], units, places }
}

/** Of each unit with two labels or more, sum_k r_k (rw_k - 1), rw_k = sum_l w_kl r_l. */
const agreeing = <L>({ categories, units }: Table<L>, weights: Weights<L>): number[] =>
  units.map(({ counts }) => {
    let sum = 0
    for (const [k, count] of counts) {
      let weighted = -1
      for (const [l, others] of counts) weighted += weights(categories[k] as L, categories[l] as L) * others
      sum += count * weighted
    }
    return sum
  })

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

/** The groups of the units of a table; null if each is its own. */
const groupsAt = (
  groups: readonly unknown[] | null,
  { places }: { readonly places: readonly number[] },
): readonly unknown[] | null => (groups === null ? null : places.map((place) => groups[place]))

/** The error of a mean from linearised values, by group where there are groups. */
const errorOf = (
  values: readonly number[],
  mean: number,
  groups: readonly unknown[] | null,
): { readonly se: number; readonly units: number } => {
  const n = values.length
  const sums = new Map<unknown, number>()
  for (const [i, value] of values.entries()) {
    const group = groups === null ? i : groups[i]
    sums.set(group, (sums.get(group) ?? 0) + value - mean)
  }
  const units = sums.size
  let squares = 0
  for (const sum of sums.values()) squares += sum ** 2
  return { se: Math.sqrt((units / (units - 1)) * squares) / n, units }
}

/**
 * A coefficient with its interval. Where all linearised values are equal (all labels agree, or none do), the error says
 * nothing: the limit is then that of Wilson's interval of the observed agreement.
 */
const withInterval = (
  estimate: number,
  { se, units }: { readonly se: number; readonly units: number },
  observed: number,
  expected: number,
): Coefficient | null => {
  if (units < 2 || !Number.isFinite(estimate) || !Number.isFinite(se)) return null
  const found = { estimate, se, observed, expected, units }
  if (se > 1e-12 && Math.abs(estimate) < 1) return { ...found, ...fisherInterval(estimate, se, units) }
  const limits = passRate(observed * units, units)
  const beyondChance = (agreement: number): number => (agreement - expected) / (1 - expected)
  return {
    ...found,
    lower: Math.min(estimate, Math.max(-1, beyondChance(limits.lower))),
    upper: Math.max(estimate, Math.min(1, beyondChance(limits.upper))),
  }
}

/**
 * The percent agreement: the mean over items with two labels or more of the pairs of labels that agree, with Wilson's
 * interval; its number of items is divided by the design effect where groups of items depend on each other. Null without
 * such an item.
 */
export const percentAgreement = <L>(
  items: Ratings<L>,
  weights: Weights<L> = nominal,
  groups: readonly unknown[] | null = null,
): { readonly estimate: number; readonly lower: number; readonly upper: number; readonly items: number } | null => {
  const table = tabulated(items, 2)
  const n = table.units.length
  if (n === 0) return null
  const shares = agreeing(table, weights).map((sum, i) => {
    const r = table.units[i]?.labels ?? 0
    return sum / (r * (r - 1))
  })
  const estimate = sumOf(shares) / n
  const [grouped, single] = [errorOf(shares, estimate, groupsAt(groups, table)), errorOf(shares, estimate, null)]
  const effect = groups !== null && single.se > 0 && grouped.units > 1 ? Math.max(1, (grouped.se / single.se) ** 2) : 1
  const { lower, upper } = passRate((estimate * n) / effect, n / effect)
  return { estimate, lower, upper, items: n }
}

/** Agreement beyond chance by the rates of categories: what Gwet's and Fleiss' coefficients share. */
const byMarginals = <L>(
  items: Ratings<L>,
  weights: Weights<L>,
  groups: readonly unknown[] | null,
  chance: (
    rates: readonly number[],
    categories: readonly L[],
  ) => { readonly expected: number; readonly ofCategory: readonly number[] },
): Coefficient | null => {
  const table = tabulated(items, 1)
  const { categories, units } = table
  const n = units.length
  const n2 = units.filter(({ labels }) => labels >= 2).length
  // With one category there is no disagreement to expect: agreement says nothing.
  if (n2 === 0 || categories.length < 2) return null
  const rates = new Array<number>(categories.length).fill(0)
  for (const { labels, counts } of units)
    for (const [k, count] of counts) rates[k] = (rates[k] ?? 0) + count / labels / n
  const { expected, ofCategory } = chance(rates, categories)
  const sums = agreeing(table, weights)
  const shares = units.map(({ labels }, i) => (labels < 2 ? 0 : (sums[i] ?? 0) / (labels * (labels - 1))))
  const observed = sumOf(shares) / n2
  const estimate = (observed - expected) / (1 - expected)
  const values = units.map(({ labels, counts }, i) => {
    const own = labels < 2 ? 0 : ((n / n2) * ((shares[i] ?? 0) - expected)) / (1 - expected)
    const chanceHere = counts.reduce((sum, [k, count]) => sum + ((ofCategory[k] ?? 0) * count) / labels, 0)
    return own - (2 * (1 - estimate) * (chanceHere - expected)) / (1 - expected)
  })
  return withInterval(estimate, errorOf(values, estimate, groupsAt(groups, table)), observed, expected)
}

/**
 * Gwet's AC1, and AC2 with weights: p_e = sum(W) / (q (q - 1)) sum_k pi_k (1 - pi_k) (K. L. Gwet, Br. J. Math. Stat. Psychol.
 * 61, 2008, 29-48), with the linearised error (K. L. Gwet, Handbook of Inter-Rater Reliability, 2021), summed by group where
 * items depend on each other. The categories are those that were used. Null with fewer than two of them, and for fewer than
 * two items or groups.
 */
export const gwet = <L>(
  items: Ratings<L>,
  weights: Weights<L> = nominal,
  groups: readonly unknown[] | null = null,
): Coefficient | null =>
  byMarginals(items, weights, groups, (rates, categories) => {
    const q = categories.length
    const sum =
      weights === nominal ? q : sumOf(categories.map((one) => sumOf(categories.map((other) => weights(one, other)))))
    const scale = sum / (q * (q - 1))
    return {
      expected: scale * sumOf(rates.map((rate) => rate * (1 - rate))),
      ofCategory: rates.map((rate) => scale * (1 - rate)),
    }
  })

/** sum_l w_kl pi_l of each category; the weights are symmetric. */
const weightedRates = <L>(rates: readonly number[], categories: readonly L[], weights: Weights<L>): number[] =>
  weights === nominal
    ? [...rates]
    : categories.map((one) => categories.reduce((sum, other, l) => sum + weights(one, other) * (rates[l] ?? 0), 0))

/**
 * Fleiss' kappa: p_e = pi W pi (J. L. Fleiss, Psychol. Bull. 76, 1971, 378-382), with the linearised error of Gwet 2021, summed
 * by group. Null as `gwet`.
 */
export const fleissKappa = <L>(
  items: Ratings<L>,
  weights: Weights<L> = nominal,
  groups: readonly unknown[] | null = null,
): Coefficient | null =>
  byMarginals(items, weights, groups, (rates, categories) => {
    const ofCategory = weightedRates(rates, categories, weights)
    return { expected: sumOf(rates.map((rate, k) => rate * (ofCategory[k] ?? 0))), ofCategory }
  })

/**
 * Krippendorff's alpha, 1 - D_o / D_e, over items with two labels or more (K. Krippendorff, Content Analysis, 2019, chapter 12),
 * with the linearised error of Gwet 2021, summed by group. Null as `gwet`.
 */
export const krippendorffAlpha = <L>(
  given: Ratings<L>,
  weights: Weights<L> = nominal,
  groups: readonly unknown[] | null = null,
): Coefficient | null => {
  const table = tabulated(given, 2)
  const { categories, units } = table
  if (categories.length < 2) return null
  const n = units.length
  const labels = sumOf(units.map((unit) => unit.labels))
  const mean = labels / n
  const rates = new Array<number>(categories.length).fill(0)
  for (const { counts } of units) for (const [k, count] of counts) rates[k] = (rates[k] ?? 0) + count / labels
  const ofCategory = weightedRates(rates, categories, weights)
  const expected = sumOf(rates.map((rate, k) => rate * (ofCategory[k] ?? 0)))
  const shares = agreeing(table, weights).map((sum, i) => sum / (mean * ((units[i]?.labels ?? 0) - 1)))
  const uncorrected = sumOf(shares) / n
  const observed = uncorrected + (1 - uncorrected) / labels
  const plain = (uncorrected - expected) / (1 - expected)
  const values = units.map((unit, i) => {
    const excess = (unit.labels - mean) / mean
    const chanceHere =
      unit.counts.reduce((sum, [k, count]) => sum + ((ofCategory[k] ?? 0) * count) / mean, 0) - expected * excess
    const own = ((shares[i] ?? 0) - observed * excess - expected) / (1 - expected)
    return own - (2 * (1 - plain) * (chanceHere - expected)) / (1 - expected)
  })
  return withInterval(
    (observed - expected) / (1 - expected),
    errorOf(values, plain, groupsAt(groups, table)),
    observed,
    expected,
  )
}

/** The scale of labels: names; values in order, with few steps; values whose differences mean something. */
export type Level = 'nominal' | 'ordinal' | 'interval'

/** Krippendorff's alpha of numbers with the metric of their level. */
export const krippendorffAlphaAt = (
  level: Level,
  items: Ratings<number>,
  groups: readonly unknown[] | null = null,
): Coefficient | null => {
  const paired = items.map((labels) => (labels.length < 2 ? [] : labels))
  if (!paired.some((labels) => labels.length > 0)) return null
  const weights = { nominal: () => nominal, ordinal: ordinalByUse, interval: () => quadratic(paired.flat()) }[level]
  return krippendorffAlpha(paired, weights(paired), groups)
}

/**
 * Cohen's kappa of two people, with its large-sample error (J. L. Fleiss, J. Cohen, B. S. Everitt, Psychol. Bull. 72, 1969,
 * 323-327), weighted if there are weights. `table[i][j]`: items in category i for the first and j for the second. Null if the
 * expected agreement is 1.
 */
export const cohenKappa = (
  table: ReadonlyArray<readonly number[]>,
  weights: Weights<number> = nominal,
): { readonly kappa: number; readonly se: number } | null => {
  const n = sumOf(table.flat())
  if (n === 0) return null
  const rows = table.map((row) => sumOf(row) / n)
  const columns = table.map((_, j) => sumOf(table.map((row) => row[j] ?? 0)) / n)
  const ofRow = rows.map((_, i) => sumOf(columns.map((share, j) => share * weights(i, j))))
  const ofColumn = columns.map((_, j) => sumOf(rows.map((share, i) => share * weights(i, j))))
  const observed = sumOf(table.flatMap((row, i) => row.map((count, j) => (count / n) * weights(i, j))))
  const expected = sumOf(rows.map((share, i) => share * (ofRow[i] ?? 0)))
  if (expected >= 1) return null
  const kappa = (observed - expected) / (1 - expected)
  const squares = table.flatMap((row, i) =>
    row.map((count, j) => (count / n) * (weights(i, j) - ((ofRow[i] ?? 0) + (ofColumn[j] ?? 0)) * (1 - kappa)) ** 2),
  )
  const variance = sumOf(squares) - (kappa - expected * (1 - kappa)) ** 2
  return { kappa, se: Math.sqrt(Math.max(0, variance) / n) / (1 - expected) }
}
