import { counted } from '../plain/counted.ts'
import type { Coefficient } from '../statistics/agreement.ts'
import {
  ENOUGH_LABELS,
  type CalibratedRate,
  type CalibrationMethod,
  type Coverage,
  type NoRate,
} from './calibrated-rate.ts'
import type { Drift } from './drift.ts'

export const CALIBRATION_STATES = ['good', 'stale', 'weak', 'none'] as const
export type CalibrationState = (typeof CALIBRATION_STATES)[number]

/** A reason why a calibration is not good. `text` stands behind "the calibration is weak: ". */
export type StateReason = {
  readonly state: Exclude<CalibrationState, 'good'>
  readonly code: string
  readonly text: string
}

const MOST_HALF_WIDTH = 0.1
const ENOUGH_TWICE = 30
const LEAST_AC1 = 0.4
const LEAST_COVERED = 0.6
const MOST_OTHER_CRITERION = 0.2
const DAY = 86_400_000

/** What the state is decided by. */
type Facts = {
  readonly now: number
  readonly labels: number
  readonly enoughPerVerdict: boolean
  readonly runs: number
  readonly judgeAlone: number
  readonly method: CalibrationMethod | null
  readonly rate: CalibratedRate
  readonly newest: number | null
  readonly rubric: { readonly valid_days: number; readonly meaning_changed_in: number | null } | null
  readonly people: { readonly items: number; readonly ac1: Coefficient | null }
  readonly coverage: Coverage | null
  readonly drift: Drift | null
  readonly ungrouped: boolean
}

const percent = (share: number): string => `${(100 * share).toFixed(1)}%`
const points = (share: number): string => `${(100 * share).toFixed(1)} points`

/** Why there is no calibrated rate, in words. */
const NO_RATE: Readonly<Record<NoRate, string>> = {
  judge_unknown: 'it is not known which model judged',
  no_labels: 'no case was labelled by people',
  few_cases: 'the run has fewer than 20 judged cases',
  few_labels: 'fewer than 10 labels of cases that the judge passed, or failed',
  uninformative_judge: 'the verdicts of the judge say too little about those of people to carry labels over',
  outside_calibration: 'no error rates of the judge explain this run: label cases of the run itself',
}

type Found = Omit<StateReason, 'state'>

const reasonsForWeak = ({ labels, enoughPerVerdict, rate, people, ungrouped }: Facts): Found[] => {
  const found: Found[] = []
  const add = (code: string, text: string): void => void found.push({ code, text })
  if (labels < ENOUGH_LABELS) add('few_labels', `${counted(labels, 'label')}; it needs ${ENOUGH_LABELS}`)
  if (!enoughPerVerdict) add('few_in_verdict', NO_RATE.few_labels)
  if (rate.reason !== null && rate.reason !== 'few_labels') add(rate.reason, NO_RATE[rate.reason])
  if (rate.reason === null && (rate.upper - rate.lower) / 2 > MOST_HALF_WIDTH)
    add('wide', `known to ±${points((rate.upper - rate.lower) / 2)}; it needs ±${points(MOST_HALF_WIDTH)}`)
  if (people.items < ENOUGH_TWICE)
    add(
      'few_labelled_twice',
      `${counted(people.items, 'case')} labelled by two people or more; it needs ${ENOUGH_TWICE}`,
    )
  else if (people.ac1 === null)
    add('agreement_unknown', 'all labels of people are the same, so it is not known how well they agree')
  else if (people.ac1.lower < LEAST_AC1)
    add(
      'people_disagree',
      `people may agree too little: AC1 ${people.ac1.estimate.toFixed(2)}, lower limit ${people.ac1.lower.toFixed(2)}; it needs ${LEAST_AC1}`,
    )
  if (ungrouped)
    add('tests_deleted', 'a run with labels was deleted, so trials of one test count as if they were independent')
  return found
}

const reasonsForStale = ({ now, newest, rubric, coverage, drift }: Facts): Found[] => {
  const found: Found[] = []
  const add = (code: string, text: string): void => void found.push({ code, text })
  const days = newest === null ? 0 : Math.floor((now - newest) / DAY)
  if (rubric !== null && newest !== null && now - newest > rubric.valid_days * DAY)
    add('old', `newest label ${counted(days, 'day')} old; rubric allows ${rubric.valid_days}`)
  if (rubric !== null && rubric.meaning_changed_in !== null)
    add('meaning_changed', `version ${rubric.meaning_changed_in} of the rubric changed its meaning after these labels`)
  if (coverage !== null && coverage.tests > 0) {
    const { tests, in_pool, other_criterion } = coverage
    if (in_pool < LEAST_COVERED * tests)
      add(
        'few_tests_known',
        `${in_pool} of ${tests} judged tests are in the runs with labels; it needs ${percent(LEAST_COVERED)}`,
      )
    if (other_criterion > MOST_OTHER_CRITERION * in_pool)
      add(
        'criteria_changed',
        `${other_criterion} of ${in_pool} tests were judged by another criterion in the runs with labels`,
      )
  }
  if (drift?.drifted === true)
    add('drift', 'labels of the newest queue and older ones differ: the judge errs otherwise than before')
  return found
}

/** The state of a calibration with all its reasons, those of the state first, and a sentence that says it all. */
export const stateOf = (
  facts: Facts,
): { readonly state: CalibrationState; readonly reasons: readonly StateReason[]; readonly sentence: string } => {
  const isUnknown = facts.rate.reason === 'judge_unknown'
  if (facts.labels === 0 || isUnknown) {
    const code = isUnknown ? 'judge_unknown' : 'no_labels'
    const reasons = [{ state: 'none' as const, code, text: NO_RATE[code] }]
    return {
      state: 'none',
      reasons,
      sentence: `${isUnknown ? 'Cannot be checked' : 'Not checked'} by people: ${NO_RATE[code]}.`,
    }
  }
  const weak = reasonsForWeak(facts).map((found) => ({ state: 'weak' as const, ...found }))
  const stale = reasonsForStale(facts).map((found) => ({ state: 'stale' as const, ...found }))
  const state = stale.length > 0 ? 'stale' : weak.length > 0 ? 'weak' : 'good'
  const reasons = [...stale, ...weak]
  return { state, reasons, sentence: sentenceOf(facts, state, reasons) }
}

const sentenceOf = (
  { rate, method, judgeAlone, labels, runs }: Facts,
  state: CalibrationState,
  reasons: readonly StateReason[],
): string => {
  const by = `by ${counted(labels, 'label')} ${method === 'own' ? 'in this run' : `of ${counted(runs, 'run')}`}`
  const number =
    rate.reason === null
      ? `The judge passes ${percent(judgeAlone)}; people would pass about ${percent(rate.estimate)} (${percent(rate.lower)} to ${percent(rate.upper)}), ${by}.`
      : `The judge passes ${percent(judgeAlone)}; what people would pass is not known: ${NO_RATE[rate.reason]}.`
  const [first] = reasons
  return first === undefined ? number : `${number} The calibration is ${state}: ${first.text}.`
}
