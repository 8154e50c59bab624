import type { ReviewAgreement } from '../../../queries/reviews/agreement.ts'

type Coefficient = ReviewAgreement['ac']

/** Limits of AC1 from which people agree well, and below which they agree too little to judge a judge by them. */
const [WELL, ENOUGH] = [0.6, 0.4]

/** The agreement in one sentence, by what is sure of it: the lower limit. */
export const agreementHeading = ({ ac, alpha, percent }: ReviewAgreement): string => {
  const found = ac.value ?? alpha.value
  if (found === null) return percent === null ? 'Not labelled twice' : 'All labels are the same'
  if (found.lower >= WELL) return 'People agree well'
  return found.lower >= ENOUGH ? 'People agree fairly' : 'People may agree too little'
}

const REASONS: Readonly<Record<NonNullable<Coefficient['reason']>, string>> = {
  fewer_than_two_items: 'fewer than two cases have two labels',
  one_category: 'all labels are the same',
  not_for_sets: 'not for questions with several options',
  not_two_people: 'only for two people',
  not_three_people: 'only for three people or more',
}
/** Why there is no such number. */
const whyNone = (reason: Coefficient['reason'] | undefined): string =>
  reason === null || reason === undefined ? 'not known' : REASONS[reason]

/** A number of agreement with what it says, as a row of a table. */
export type NumberRow = {
  readonly name: string
  readonly says: string
  readonly value: { readonly estimate: number; readonly lower: number; readonly upper: number } | null
  readonly reason: string
  readonly isShare?: true
}

/** All numbers, the headline first, each with the sentence that says when to read it. */
export const numberRows = ({ kind, percent, ac, alpha, cohen, fleiss }: ReviewAgreement): readonly NumberRow[] => {
  const named = (name: string, says: string, { value, reason }: Coefficient): NumberRow => ({
    ...{ name, says, value, reason: whyNone(reason) },
  })
  const kappa = cohen.kappa ?? null
  /** Where all labels are the same, its error is 0: that is no interval. */
  const se = cohen.se === undefined || cohen.se === 0 ? null : cohen.se
  return [
    {
      ...{ name: 'Same answer', says: 'pairs of labels that are equal; never read it alone' },
      ...{ value: percent, reason: 'no case has two labels', isShare: true as const },
    },
    named(kind === 'score' ? 'Gwet AC2' : 'Gwet AC1', 'beyond chance; stays sane when nearly all pass', ac),
    named('Krippendorff α', 'beyond chance, also where labels are missing; low when nearly all pass', alpha),
    {
      ...{ name: 'Cohen κ', says: 'of two people, to compare with papers' },
      value:
        kappa === null || se === null
          ? null
          : { estimate: kappa, lower: kappa - 1.96 * se, upper: Math.min(1, kappa + 1.96 * se) },
      reason: kappa === null ? whyNone(cohen.reason) : `${kappa.toFixed(2)}, no interval`,
    },
    named('Fleiss κ', 'of three people or more, to compare with papers', fleiss),
  ]
}
