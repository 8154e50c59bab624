import type { RunCalibration } from '../../../queries/reviews/calibration.ts'
import { formatRate } from '../../text/format.ts'
import type { SuiteJudge } from './use-calibration.ts'

/** The verdict about a judge, in a few words. */
export const findingWords = ({ state, finding, rate }: RunCalibration): string => {
  if (state === 'none') return 'Not checked by people'
  if (rate.reason !== null) return 'Not calibrated'
  if (finding === 'passes_too_much') return 'The judge passes too much'
  return finding === 'passes_too_little' ? 'The judge passes too little' : 'No clear difference from people'
}

/** Where the labels are from, and what that assumes. */
export const methodWords = ({ method }: RunCalibration): string | null =>
  method === null
    ? null
    : method === 'own'
      ? 'From labels in this very run, so nothing is assumed about how the judge errs elsewhere.'
      : 'Carried over from labels of like runs: this assumes that the judge errs as it did there.'

/** What the numbers about a judge say, as rows of a table. */
export const measureRows = ({ judge }: RunCalibration) =>
  judge === null
    ? []
    : [
        { name: 'Sensitivity', says: 'passes what people pass', value: judge.sensitivity, isShare: true as const },
        { name: 'Specificity', says: 'fails what people fail', value: judge.specificity, isShare: true as const },
        { name: 'Agreement', says: 'same verdict as people', value: judge.agreement, isShare: true as const },
        { name: 'AC1', says: 'agreement beyond chance', value: judge.ac1 },
        { name: 'Cohen κ', says: 'the same, harder on skewed rates', value: judge.kappa },
      ]

/** The members of two judges that differ. */
export const differingFields = (one: SuiteJudge['judge'], other: SuiteJudge['judge']): readonly string[] =>
  (Object.keys(one) as Array<keyof SuiteJudge['judge']>)
    .filter((field) => JSON.stringify(one[field]) !== JSON.stringify(other[field]))
    .map((field) => field.replaceAll('_', ' '))

/** Shares of the labels by how blind they were, in words. */
export const blindWords = ({ labels, enforced, trusted, unknown }: RunCalibration['given']): string =>
  [
    ['enforced', enforced],
    ['trusted', trusted],
    ['not known', unknown],
  ]
    .flatMap(([words, count]) => (Number(count) > 0 ? [`${formatRate(Number(count) / labels)} ${words}`] : []))
    .join(', ')

/** The plan of labels that is the least work: null if no plan can be followed. */
export const nextPlan = ({ plans }: RunCalibration) =>
  plans.find(
    (plan): plan is typeof plan & { readonly more: NonNullable<typeof plan.more> } =>
      plan.more !== null && plan.more.passed + plan.more.failed > 0,
  ) ?? null
