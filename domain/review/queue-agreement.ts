import {
  cohenKappa,
  fleissKappa,
  gwet,
  jaccard,
  krippendorffAlpha,
  krippendorffAlphaAt,
  nominal,
  ordinal,
  percentAgreement,
  quadratic,
  type Coefficient,
  type Weights,
} from '../statistics/agreement.ts'
import { median } from '../statistics/means.ts'
import { mcnemar } from '../statistics/statistics.ts'

/** The kinds of questions whose answers are compared, as far as their numbers differ. */
export type ComparedKind = 'verdict' | 'category' | 'categories' | 'score' | 'preference'

/** An answer: a verdict or a category by its name, a score, the names of several categories, or `a`, `b` or `tie` of a preference. */
export type Answer = string | number | readonly string[]

/** A standing label before anything was adjudicated. */
export type PersonLabel = {
  /** Who gave it: the letter of the person in the queue. */
  readonly person: string
  /** Null: cannot tell. */
  readonly answer: Answer | null
  /** Null if it is not known. */
  readonly seconds: number | null
  /** The option that was shown first, of a preference; null for others. */
  readonly first: string | null
}

export type AgreementItem = {
  /** Items of one group depend on each other. Null: a group of its own. */
  readonly group: string | null
  readonly labels: readonly PersonLabel[]
  /** The final answer; null if there is none, or if it is "cannot tell". */
  readonly final: Answer | null
}

export type AgreementFacts = {
  readonly kind: ComparedKind
  /** Steps of a score, ends included; null for other kinds. */
  readonly steps: number | null
  /** Whether an answer passes; null for answers that say neither. */
  readonly passes: (answer: Answer) => boolean | null
  readonly items: readonly AgreementItem[]
}

export type NoCoefficient =
  | 'fewer_than_two_items'
  | 'one_category'
  | 'not_for_sets'
  | 'not_two_people'
  | 'not_three_people'
export type MaybeCoefficient =
  | { readonly value: Coefficient; readonly reason: null }
  | { readonly value: null; readonly reason: NoCoefficient }

type Share = { readonly estimate: number; readonly lower: number; readonly upper: number }

/** How a person labelled. Shares are of the person's labels, null without one that counts. */
export type PersonAgreement = {
  readonly person: string
  readonly labels: number
  readonly agrees_with_final: { readonly agree: number; readonly of: number }
  readonly pass_share: number | null
  readonly cannot_tell: number
  readonly median_seconds: number | null
  /** So quick that the cases can hardly have been read. */
  readonly rushed: boolean
}

/** Counts of two options, and the exact binomial test, two-sided, that they are equally frequent. */
export type EvenTest = { readonly first: number; readonly second: number; readonly p_value: number }

export type QueueAgreement = {
  /** Items with two labels or more that say something. */
  readonly items: number
  readonly percent: Share | null
  /** Gwet's AC1; AC2 for scores. */
  readonly ac: MaybeCoefficient
  readonly alpha: MaybeCoefficient
  /** Cohen's kappa of two people. */
  readonly cohen:
    | { readonly kappa: number; readonly se: number; readonly items: number }
    | { readonly kappa: null; readonly reason: NoCoefficient }
  /** Fleiss' kappa of three people or more. */
  readonly fleiss: MaybeCoefficient
  readonly pass_share: number | null
  /** So many labels are passes that alpha is low although people agree. */
  readonly many_passes: boolean
  readonly people: readonly PersonAgreement[]
  /** Of a preference, without ties: A against B, and the first shown against the second. */
  readonly preference: { readonly options: EvenTest; readonly sides: EvenTest; readonly ties: number } | null
}

const MANY_PASSES = 0.85
/** Scores with more steps are taken as numbers, not only as an order. */
const MOST_ORDINAL_STEPS = 7
const RUSHED_SECONDS = 2

/** The answers of a preference. */
const OPTIONS = { a: 'a', b: 'b', tie: 'tie' } as const

/** Answers as values that can be compared: sets as sorted JSON text. */
const valueOf = (answer: Answer): string | number =>
  typeof answer === 'string' || typeof answer === 'number' ? answer : JSON.stringify([...answer].sort())

const maybe = (value: Coefficient | null, items: number): MaybeCoefficient =>
  value === null ? { value, reason: items < 2 ? 'fewer_than_two_items' : 'one_category' } : { value, reason: null }

const evenTest = (first: number, second: number): EvenTest => ({
  first,
  second,
  p_value: mcnemar(first, second).p_value,
})

const personOf = (person: string, facts: AgreementFacts): PersonAgreement => {
  const given = facts.items.flatMap(({ labels, final }) =>
    labels.filter((label) => label.person === person).map((label) => ({ label, final })),
  )
  const answers = given.flatMap(({ label }) => label.answer ?? [])
  const decided = given.filter(({ label, final }) => label.answer !== null && final !== null)
  const agree = decided.filter(({ label, final }) => sameSide(label.answer as Answer, final as Answer, facts)).length
  const sides = given.flatMap(({ label }) => (label.answer === null ? [] : (facts.passes(label.answer) ?? [])))
  const seconds = median(given.flatMap(({ label }) => label.seconds ?? []))
  return {
    person,
    labels: given.length,
    agrees_with_final: { agree, of: decided.length },
    pass_share: sides.length === 0 ? null : sides.filter(Boolean).length / sides.length,
    cannot_tell: given.length - answers.length,
    median_seconds: seconds,
    rushed: seconds !== null && seconds < RUSHED_SECONDS,
  }
}

/** Scores agree where their pass sides do; other answers where they are equal. */
const sameSide = (one: Answer, other: Answer, { kind, passes }: AgreementFacts): boolean => {
  const [side, otherSide] = [passes(one), passes(other)]
  return kind === 'score' && side !== null && otherSide !== null ? side === otherSide : valueOf(one) === valueOf(other)
}

const valued = (label: PersonLabel | undefined): { readonly value: string | number } | null =>
  label === undefined || label.answer === null ? null : { value: valueOf(label.answer) }

/** The table of two people over the items that both labelled; null unless there are exactly two. */
const tableOfTwo = (
  people: readonly string[],
  items: readonly AgreementItem[],
): { readonly table: number[][]; readonly values: ReadonlyArray<string | number> } | null => {
  const [one, other] = people
  if (one === undefined || other === undefined || people.length > 2) return null
  const pairs = items.flatMap(({ labels }) => {
    const [left, right] = [one, other].map((person) => valued(labels.find((label) => label.person === person)))
    return left && right ? [[left.value, right.value] as const] : []
  })
  const values = [...new Set(pairs.flat())].sort((a, b) => (a < b ? -1 : 1))
  const table = values.map((row) => values.map((column) => pairs.filter(([a, b]) => a === row && b === column).length))
  return { table, values }
}

/** Computes how far the people of a queue agree on its deciding question, and how each of them labelled. */
export const agreementOf = (facts: AgreementFacts): QueueAgreement => {
  const { kind, steps, items } = facts
  const answers = items.map(({ labels }) => labels.flatMap(({ answer }) => (answer === null ? [] : [valueOf(answer)])))
  const rated = answers.filter(({ length }) => length >= 2)
  const groups = items.map((item) => item.group ?? item)
  const people = [...new Set(items.flatMap(({ labels }) => labels.map(({ person }) => person)))].sort()
  const numbers = answers as ReadonlyArray<readonly number[]>
  const isOrdinal = (steps ?? 0) <= MOST_ORDINAL_STEPS
  const weights = (
    kind === 'score'
      ? isOrdinal
        ? ordinal(numbers.flat())
        : quadratic(numbers.flat())
      : kind === 'categories'
        ? jaccard
        : nominal
  ) as Weights<string | number>
  const n = rated.length
  const alpha =
    kind === 'score'
      ? krippendorffAlphaAt(isOrdinal ? 'ordinal' : 'interval', numbers, groups)
      : krippendorffAlpha(answers, weights, groups)
  const forSets = { value: null, reason: 'not_for_sets' } as const
  const sides = items.flatMap(({ labels }) =>
    labels.flatMap(({ answer }) => (answer === null ? [] : (facts.passes(answer) ?? []))),
  )
  const passShare = sides.length === 0 ? null : sides.filter(Boolean).length / sides.length
  return {
    items: n,
    percent: percentOf(),
    ac: kind === 'categories' ? forSets : maybe(gwet(answers, weights, groups), n),
    alpha: maybe(alpha, n),
    cohen: cohenOf(),
    fleiss:
      kind === 'categories'
        ? forSets
        : people.length < 3
          ? { value: null, reason: 'not_three_people' }
          : maybe(fleissKappa(answers, weights, groups), n),
    pass_share: passShare,
    many_passes: passShare !== null && passShare > MANY_PASSES,
    people: people.map((person) => personOf(person, facts)),
    preference: kind === 'preference' ? preferenceOf(items) : null,
  }

  function percentOf(): Share | null {
    const found = percentAgreement(answers, nominal, groups)
    return found && { estimate: found.estimate, lower: found.lower, upper: found.upper }
  }

  function cohenOf(): QueueAgreement['cohen'] {
    if (kind === 'categories') return { kappa: null, reason: 'not_for_sets' }
    const found = tableOfTwo(people, items)
    if (found === null) return { kappa: null, reason: 'not_two_people' }
    const { table, values } = found
    const both = table.flat().reduce((sum, count) => sum + count, 0)
    if (both < 2) return { kappa: null, reason: 'fewer_than_two_items' }
    const kappa = cohenKappa(table, (i, j) => (i === j ? 1 : weights(values[i] ?? '', values[j] ?? '')))
    return kappa === null ? { kappa, reason: 'one_category' } : { ...kappa, items: both }
  }
}

const preferenceOf = (items: readonly AgreementItem[]): QueueAgreement['preference'] => {
  const labels = items.flatMap((item) => item.labels)
  const chosen = labels.filter(({ answer }) => answer === OPTIONS.a || answer === OPTIONS.b)
  const ofA = chosen.filter(({ answer }) => answer === OPTIONS.a).length
  const placed = chosen.filter(({ first }) => first !== null)
  const ofFirst = placed.filter(({ answer, first }) => answer === first).length
  return {
    options: evenTest(ofA, chosen.length - ofA),
    sides: evenTest(ofFirst, placed.length - ofFirst),
    ties: labels.filter(({ answer }) => answer === OPTIONS.tie).length,
  }
}
