import { countLabelled, type Judged, type Labelled, type LabelledCase } from '../statistics/judge.ts'
import { ENOUGH_PER_VERDICT } from './calibrated-rate.ts'

/** What people decided about a case: its final label, from a closed queue that was not targeted. */
export type FinalLabel = {
  readonly pass: 0 | 1
  /** The final score, the median of people's; null if the rubric asks for none. */
  readonly score: number | null
  /** The number of the queue: a queue that was opened later has a larger one. */
  readonly queue: number
  /** When the newest of the labels behind it was given, in ms. */
  readonly given_at: number
}

/** A case that the judge passed (1) or failed (0). Cases that it gave no verdict are not among these. */
export type CalibratedCase = {
  /** What identifies the test in each of these runs, with its column; null if the case has none. */
  readonly test: string | null
  /** Cases of one group depend on each other, in all runs: the test, or what `cluster_by` names. Null: a group of its own. */
  readonly group: string | null
  readonly verdict: 0 | 1
  /** The judge's score; null if it gives none. */
  readonly score: number | null
  /** The digest of what the judge was to check; null if that is not known. */
  readonly criterion: string | null
  /** Null without a final label, and if it is "cannot tell". */
  readonly label: FinalLabel | null
}

/** A run with verdicts of a judge. */
export type CalibratedRun = {
  /** All cases with a verdict of the judge; of a deleted run those with a label. */
  readonly cases: readonly CalibratedCase[]
  /** How many the judge passed and failed: numbers of the queue, which outlive the run. */
  readonly passed: number
  readonly failed: number
  /** Whether a queue of the run was drawn by verdict. */
  readonly is_stratified: boolean
}

/** A run whose labels may say something about the judge. `is_deleted`: its groups, tests and cases without a label are not known. */
export type LabelledRun = CalibratedRun & { readonly is_deleted: boolean }

/** Runs whose labels are put together, at most. */
export const MAX_POOL_RUNS = 5

/** Labels of the runs of a pool, and the cases that they are of. */
export type Pool = {
  readonly runs: readonly LabelledRun[]
  readonly cases: ReadonlyArray<readonly CalibratedCase[]>
  readonly judged: Judged
  readonly labelled: Labelled
  readonly otherCriterion: number
}

export const isLabelled = ({ cases }: { readonly cases: readonly CalibratedCase[] }): boolean =>
  cases.some(({ label }) => label !== null)
export const totalOf = ({ passed, failed }: Pick<LabelledRun, 'passed' | 'failed'>): number => passed + failed
const labelledCase = ({ group, verdict, label }: CalibratedCase, own: unknown): LabelledCase => ({
  group: group ?? own,
  verdict,
  label: label === null ? null : label.pass,
})
export const asLabelled = (cases: readonly CalibratedCase[]): LabelledCase[] =>
  cases.map((each) => labelledCase(each, each))

/** The criteria of the run's tests, as far as they are known. */
export const criteriaOf = ({ cases }: CalibratedRun): ReadonlyMap<string, string | null> =>
  new Map(cases.flatMap(({ test, criterion }) => (test === null ? [] : [[test, criterion]])))

export const hasOtherCriterion = (
  criteria: ReadonlyMap<string, string | null>,
  { test, criterion }: CalibratedCase,
): boolean => {
  const own = test === null ? null : (criteria.get(test) ?? null)
  return own !== null && criterion !== null && own !== criterion
}

/** Puts the labels of runs together. Labels by another criterion than that of the run which is calibrated are left out. */
export const poolOf = (runs: readonly LabelledRun[], run: CalibratedRun): Pool => {
  const criteria = criteriaOf(run)
  let otherCriterion = 0
  const cases = runs.map((run) =>
    run.cases.map((each) => {
      if (each.label === null || !hasOtherCriterion(criteria, each)) return each
      otherCriterion++
      return { ...each, label: null }
    }),
  )
  return {
    runs,
    cases,
    judged: {
      passed: runs.reduce((sum, { passed }) => sum + passed, 0),
      total: runs.reduce((sum, run) => sum + totalOf(run), 0),
    },
    labelled: countLabelled(cases.flatMap(asLabelled)),
    otherCriterion,
  }
}

/** Whether each verdict has enough labels, or all that it can have. */
export const hasEnoughPerVerdict = ({ m1, m0 }: Labelled, { passed, total }: Judged): boolean =>
  (m1 >= ENOUGH_PER_VERDICT || m1 >= passed) && (m0 >= ENOUGH_PER_VERDICT || m0 >= total - passed)

export const countOf = ({ m1, m0 }: Labelled): number => m1 + m0

/** Whether several cases are of one group. */
export const areGrouped = (parts: ReadonlyArray<readonly LabelledCase[]>): boolean => {
  const seen = new Set<unknown>()
  return parts.some((cases) =>
    cases.some(({ group }) => {
      if (seen.has(group)) return true
      seen.add(group)
      return false
    }),
  )
}
