import { caseJudgeId, caseVerdict } from '../../domain/review/judge-id.ts'
import { judgedCases } from '../../domain/review/judged-cases.ts'
import type { CalibratedCase, CalibratedRun, FinalLabel } from '../../domain/review/pool.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import type { DocumentReader } from '../runs/documents.ts'
import type { GroupOf } from '../statistics/clusters.ts'
import { readOutcomes, type OutcomeRow } from '../statistics/outcomes.ts'
import { listJudgedCases, type SlotJudge } from './judges.ts'

export const TARGETS = ['case', 'metric'] as const
/** What people judge: a case as a whole, or one metric of it, by its name. */
export type CalibrationTarget =
  | { readonly target: 'case'; readonly metric: null }
  | { readonly target: 'metric'; readonly metric: string }

export type CalibrationContext = {
  readonly reader: Reader
  readonly documents: DocumentReader
  readonly viewer: Viewer
}

/** The judge of a target in a run, and the slots that have its verdicts. */
export type TargetJudge = {
  readonly judge_id: string | null
  readonly slots: readonly number[]
  /** Other judges of the metric in the run: their verdicts are left out. */
  readonly others: number
}

/**
 * The judge of a target in a run, from all judges of the run. A metric that several judges decided has the one with most verdicts.
 * Null if the run has no such metric.
 */
export const judgeOfTarget = (
  judges: readonly SlotJudge[],
  { target, metric }: CalibrationTarget,
): TargetJudge | null => {
  if (target === 'case')
    return {
      judge_id: caseJudgeId(judges.map(({ judge_id }) => judge_id)),
      slots: judges.map(({ slot }) => slot),
      others: 0,
    }
  const found = judges
    .filter((judge) => judge.metric === metric)
    .toSorted((a, b) => b.passed + b.failed - (a.passed + a.failed))
  const [first] = found
  return first ? { judge_id: first.judge_id, slots: [first.slot], others: found.length - 1 } : null
}

type Verdict = Pick<CalibratedCase, 'verdict' | 'score' | 'criterion'>

/** A run with the verdicts of one judge by the number of the case. */
export type JudgedRun = {
  readonly outcomes: readonly OutcomeRow[]
  readonly verdicts: ReadonlyMap<number, Verdict>
}

/** Several judges of a case ask for what all of them ask for. */
const joinedCriterion = (one: string | null, other: string | null): string | null =>
  one === null ? other : other === null ? one : `${one} ${other}`

/** Reads what the judge of a target said about the cases of a run; null if the run was deleted meanwhile. */
export const readJudgedRun = async (
  { reader, viewer }: CalibrationContext,
  run: { readonly run_no: number; readonly id: string },
  target: CalibrationTarget['target'],
  slots: readonly number[],
): Promise<JudgedRun | null> => {
  const packed = await reader.read(listJudgedCases(run.run_no, slots))
  const outcomes = await readOutcomes(reader, viewer, run)
  if (outcomes === null) return null
  const verdicts = new Map<number, Verdict>()
  if (target === 'metric') {
    for (const bytes of packed)
      for (const { n, verdict, score, criterion } of judgedCases(bytes))
        if (verdict !== null) verdicts.set(n, { verdict, score, criterion })
    return { outcomes, verdicts }
  }
  const criteria = new Map<number, string | null>()
  for (const bytes of packed)
    for (const { n, criterion } of judgedCases(bytes))
      criteria.set(n, joinedCriterion(criteria.get(n) ?? null, criterion))
  for (const { n, status, score } of outcomes) {
    const verdict = caseVerdict(status)
    const criterion = criteria.get(n)
    if (verdict !== null && criterion !== undefined) verdicts.set(n, { verdict, score, criterion })
  }
  return { outcomes, verdicts }
}

const testOf = ({ test_id, prompt_id, provider_id }: OutcomeRow): string | null =>
  test_id === null || test_id === '' ? null : `${test_id}\0${prompt_id ?? ''}\0${provider_id ?? ''}`

/** The cases of a run that its judge gave a verdict, with the final labels of people, by the number of the case. */
export const calibratedCases = (
  { outcomes, verdicts }: JudgedRun,
  groupOf: GroupOf,
  labels: ReadonlyMap<number, FinalLabel>,
): ReadonlyMap<number, CalibratedCase> => {
  const cases = new Map<number, CalibratedCase>()
  for (const outcome of outcomes) {
    const found = verdicts.get(outcome.n)
    if (found)
      cases.set(outcome.n, {
        ...found,
        test: testOf(outcome),
        group: groupOf(outcome),
        label: labels.get(outcome.n) ?? null,
      })
  }
  return cases
}

/** The cases of a run as statistics take them. */
export const runOfCases = (cases: ReadonlyMap<number, CalibratedCase>, is_stratified: boolean): CalibratedRun => {
  const all = [...cases.values()]
  const passed = all.filter(({ verdict }) => verdict === 1).length
  return { cases: all, passed, failed: all.length - passed, is_stratified }
}

/** Cases of a run that no judge decided: those of a metric are not counted. */
export const casesAsIs = (
  { outcomes, verdicts }: JudgedRun,
  target: CalibrationTarget['target'],
): { readonly passed: number; readonly total: number } => {
  if (target === 'metric') return { passed: 0, total: 0 }
  const others = outcomes.filter(({ n }) => !verdicts.has(n))
  return { passed: others.filter(({ status }) => caseVerdict(status) === 1).length, total: others.length }
}
