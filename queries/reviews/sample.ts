import { z } from 'zod'
import type { QueueItem, QueueRun } from '../../domain/review/queue.ts'
import { caseJudgeId, caseVerdict } from '../../domain/review/judge-id.ts'
import { judgedCases } from '../../domain/review/judged-cases.ts'
import type { QueueTarget } from '../../domain/review/final.ts'
import {
  drawPairs,
  drawSample,
  expectedHalfWidthOf,
  type Candidate,
  type DrawnGroups,
  type RecordedSelection,
  type Selection,
} from '../../domain/review/selection.ts'
import { CaseRow } from '../../domain/run/case-columns.ts'
import { any, numberList, sql } from '../../storage/sql.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { findRun, type Run } from '../runs/run.ts'
import type { Suite } from '../sets/baselines.ts'
import { chooseJoin, joinCases } from '../../domain/statistics/pairing.ts'
import { MAX_COMPARED_CASES, readOutcomes } from '../statistics/outcomes.ts'
import { readJudges, type SlotJudge } from './judges.ts'
import { listClosedQueues, listLabelledItems, type LabelledItem } from './labelled-items.ts'

export type SampleRequest = Suite & {
  readonly target: QueueTarget
  readonly metric: string | null
  readonly rubric_id: string
  readonly selection: Selection
  readonly seed: string
}

/** A sample of cases, with how many there are of each verdict. `half_width`: what to expect of the calibrated rate; null if nothing can be said. */
export type Sample = {
  readonly problem: null
  readonly runs: readonly QueueRun[]
  readonly items: readonly QueueItem[]
  readonly selection: RecordedSelection
  readonly targeted: boolean
  readonly groups: DrawnGroups
  readonly half_width: number | null
}
/** Why there is none: a run that the viewer cannot see, or what is wrong with the request. */
export type NoSample = { readonly problem: 'run not found' | 'unprocessable'; readonly message: string }

const CaseFacts = CaseRow.pick({ n: true, case_key: true, status: true, test_id: true, output_hash: true })
type CaseFacts = z.infer<typeof CaseFacts>

/** The cases of a run. Their tests and outputs are most of what a read of many cases costs. */
const listCaseFacts = (run_no: number, { withOutputs }: { readonly withOutputs: boolean }) =>
  any(sql.type(CaseFacts)`
    SELECT cases.n, cases.case_key, cases.status, ${withOutputs ? OUTPUTS : NO_OUTPUTS}
    FROM cases WHERE cases.run_no = ${run_no} ORDER BY cases.n`)
const OUTPUTS = sql.fragment`cases.test_id, cases.output_hash`
const NO_OUTPUTS = sql.fragment`NULL AS test_id, NULL AS output_hash`

const Packed = z.object({ run_no: z.number(), slot: z.number(), cases: z.instanceof(Buffer) })
const listPacked = (run_nos: readonly number[]) =>
  any(sql.type(Packed)`SELECT run_no, slot, cases FROM judged_cases WHERE run_no IN (${numberList(run_nos)})`)

const unprocessable = (message: string): NoSample => ({ problem: 'unprocessable', message })

/** Selections that look for equal outputs. */
const COMPARES_OUTPUTS: ReadonlySet<Selection['kind']> = new Set(['disagreement', 'suspected'])

/** The threshold of a judge that has none of its own. */
const MIDDLE = 0.5

/** The cases of a run that one judge decided, and its counts. */
export type Population = { readonly run: QueueRun; readonly candidates: Candidate[] }

const ofMetric = (
  { run, first }: Numbered,
  slots: readonly SlotJudge[],
  packed: ReadonlyMap<number, Buffer>,
  cases: readonly CaseFacts[],
): Population[] => {
  const byNumber: CaseFacts[] = []
  for (const facts of cases) byNumber[facts.n] = facts
  return slots.map(({ slot, judge_id, judge, passed, failed, other }, i) => ({
    run: { run_no: run.run_no, document_sha256: run.document_sha256, judge_id, passed, failed, other },
    candidates: [...judgedCases(packed.get(slot) ?? Buffer.alloc(0))].flatMap(({ n, verdict, score, criterion }) => {
      const facts = byNumber[n]
      if (!facts || verdict === null) return []
      const distance = score === null ? null : Math.abs(score - (judge.threshold ?? MIDDLE))
      return [candidate({ run, first: first + i }, facts, { verdict, criterion, distance })]
    }),
  }))
}

/** A run, and the number of its first population among those of all runs. */
type Numbered = { readonly run: Run; readonly first: number }

/** Of a run without a judge every case with an outcome may be labelled; of one with judges those that they judged. */
const ofCases = (
  { run, first }: Numbered,
  slots: readonly SlotJudge[],
  packed: ReadonlyMap<number, Buffer>,
  cases: readonly CaseFacts[],
): Population => {
  const judged = new Set(
    slots.flatMap(({ slot }) => [...judgedCases(packed.get(slot) ?? Buffer.alloc(0))].map(({ n }) => n)),
  )
  const candidates = cases.flatMap((facts) => {
    const verdict = caseVerdict(facts.status)
    if (verdict === null || (slots.length > 0 && !judged.has(facts.n))) return []
    return [candidate({ run, first }, facts, { verdict, criterion: null, distance: null })]
  })
  const passed = candidates.filter(({ verdict }) => verdict === 1).length
  return {
    run: {
      run_no: run.run_no,
      document_sha256: run.document_sha256,
      judge_id: caseJudgeId(slots.map(({ judge_id }) => judge_id)),
      passed,
      failed: candidates.length - passed,
      other: cases.length - candidates.length,
    },
    candidates,
  }
}

const candidate = (
  { run, first }: Numbered,
  { n, case_key, test_id, output_hash }: CaseFacts,
  judged: Pick<Candidate, 'verdict' | 'criterion' | 'distance'>,
): Candidate => ({
  run: first,
  run_id: run.id,
  run_no: run.run_no,
  case_n: n,
  case_key,
  output: output_hash === null ? null : output_hash.toString('hex'),
  test: test_id,
  ...judged,
})

/**
 * Reads the judges of some runs. The function that it returns reads the cases of one of them that a metric judged, a population for each
 * judge of it; for the metric null its whole cases. Without `withOutputs` their tests and outputs are null. `first` is the number of its first population.
 */
export const populationReader = async (
  reader: Reader,
  runs: readonly Run[],
  reads: { readonly withOutputs: boolean },
): Promise<(run: Run, metric: string | null, first?: number) => Promise<Population[]>> => {
  const run_nos = runs.map(({ run_no }) => run_no)
  const judges = await readJudges(reader, run_nos)
  const packed = await reader.read(listPacked(run_nos))
  return async (run, metric, first = 0) => {
    const cases = await reader.read(listCaseFacts(run.run_no, reads))
    const slots = judges.filter((judge) => judge.run_no === run.run_no && (metric === null || judge.metric === metric))
    const bytes = new Map(packed.filter(({ run_no }) => run_no === run.run_no).map(({ slot, cases }) => [slot, cases]))
    return metric === null
      ? [ofCases({ run, first }, slots, bytes, cases)]
      : ofMetric({ run, first }, slots, bytes, cases)
  }
}

/**
 * Draws the cases of a queue from runs that the viewer may see. The same runs, seed and kind give the same items on each database. Reads
 * every case of the runs.
 */
export const drawReviewSample = async (
  reader: Reader,
  viewer: Viewer,
  { project, suite, target, metric, selection, seed }: SampleRequest,
): Promise<Sample | NoSample> => {
  if (selection.kind === 'pairs' && target !== 'case')
    return unprocessable('target: people compare whole cases: ask for the target case')
  const ids = [...new Set(selection.kind === 'list' ? selection.cases.map(({ run_id }) => run_id) : selection.runs)]
  const other = selection.kind === 'disagreement' ? (selection.with_run ?? null) : null
  const runs: Run[] = []
  for (const id of other === null ? ids : [...ids, other]) {
    const run = await reader.read(findRun(viewer, id))
    if (run?.project !== project || run.suite !== suite) return { problem: 'run not found', message: id }
    runs.push(run)
  }
  const cases = runs.reduce((sum, { stored_cases }) => sum + stored_cases, 0)
  if (cases > MAX_COMPARED_CASES)
    return unprocessable(`selection: the runs have ${cases} cases; a sample is of at most ${MAX_COMPARED_CASES}`)
  if (selection.kind === 'pairs') return drawPairSample(reader, viewer, runs, { seed, count: selection.count })
  const populationOf = await populationReader(reader, runs, { withOutputs: COMPARES_OUTPUTS.has(selection.kind) })
  const name = target === 'metric' ? metric : null
  const own = other === null ? runs : runs.slice(0, -1)
  const populations: Population[] = []
  for (const run of own) populations.push(...(await populationOf(run, name, populations.length)))
  if (populations.length === 0) return unprocessable(`metric: no judge decided ${metric} in these runs`)
  const unknown = populations.find(({ run }) => run.judge_id === null)
  if (unknown && selection.kind !== 'random' && selection.kind !== 'list')
    return unprocessable(
      'selection: judge_unknown: it is not known which model judged, so cases cannot be chosen by its verdict',
    )

  const closed = await reader.read(listClosedQueues(viewer, { project, suite }, { target, metric }))
  const labelled = await reader.read(listLabelledItems(closed.map(({ queue_id }) => queue_id)))
  const against =
    selection.kind === 'disagreement'
      ? (
          await Promise.all(
            (other === null ? own : runs.slice(-1)).map((run) => populationOf(run, selection.with_metric ?? name)),
          )
        ).flat()
      : []
  const drawn = drawSample({
    selection,
    seed,
    candidates: populations.flatMap(({ candidates }) => candidates),
    against: against.flatMap(({ candidates }) => candidates),
    isSameRun: other === null,
    labelled: labelled.map((item) => ({ ...item, targeted: isTargeted(closed, item) })),
    known: knownLabels(populations, labelled, closed),
  })
  if (drawn.problem !== null) return unprocessable(`selection: ${drawn.problem}`)
  const queueRuns = populations.map(({ run }) => run)
  return {
    problem: null,
    runs: queueRuns,
    items: drawn.items,
    selection: drawn.selection,
    targeted: drawn.targeted,
    groups: drawn.groups,
    half_width: drawn.targeted
      ? null
      : expectedHalfWidthOf(knownLabels(populations, labelled, closed), queueRuns, drawn.items),
  }
}

/** Pairs of one test in two runs, joined as a comparison joins them. Equal outputs leave nothing to prefer. */
const drawPairSample = async (
  reader: Reader,
  viewer: Viewer,
  runs: readonly Run[],
  { seed, count }: { readonly seed: string; readonly count: number },
): Promise<Sample | NoSample> => {
  const [base, head] = runs
  if (!base || !head) return unprocessable('selection: runs: pairs are of two different runs')
  const [left, right] = [await readOutcomes(reader, viewer, base), await readOutcomes(reader, viewer, head)]
  if (!left || !right) return { problem: 'run not found', message: left ? head.id : base.id }
  const outputs = new Map<number, Map<number, string | null>>()
  for (const { run_no } of [base, head]) {
    const facts = await reader.read(listCaseFacts(run_no, { withOutputs: true }))
    outputs.set(run_no, new Map(facts.map(({ n, output_hash }) => [n, output_hash?.toString('hex') ?? null])))
  }
  const outputOf = ({ run_no }: Run, { n }: { readonly n: number }) => outputs.get(run_no)?.get(n) ?? null
  const pairs = joinCases(left, right, chooseJoin([left, right])).flatMap(({ base: one, head: other }) =>
    one && other && outputOf(base, one) !== outputOf(head, other)
      ? [{ run_id: base.id, case_key: one.case_key, case_n: one.n, second_case_n: other.n }]
      : [],
  )
  const drawn = drawPairs(seed, pairs, count)
  if (drawn.problem !== null) return unprocessable(`selection: ${drawn.problem}`)
  const group = { cases: 0, taken: 0 }
  return {
    problem: null,
    runs: [base, head].map(({ run_no, document_sha256, stored_cases }) => ({
      ...{ run_no, document_sha256, judge_id: null, passed: 0, failed: 0, other: stored_cases },
    })),
    items: drawn.items,
    selection: { kind: 'pairs', count },
    targeted: false,
    groups: { passed: group, failed: group },
    half_width: null,
  }
}

const isTargeted = (
  closed: ReadonlyArray<{ queue_id: string; targeted: boolean }>,
  { queue_id }: LabelledItem,
): boolean => closed.find((queue) => queue.queue_id === queue_id)?.targeted === true

/** What people said about the judges of these runs in closed queues that were not targeted. */
const knownLabels = (
  populations: readonly Population[],
  labelled: readonly LabelledItem[],
  closed: ReadonlyArray<{ queue_id: string; targeted: boolean }>,
) => {
  const ids = new Set(populations.map(({ run }) => run.judge_id))
  const known = labelled.filter(
    (item) => item.final_pass !== null && item.judge_id !== null && ids.has(item.judge_id) && !isTargeted(closed, item),
  )
  const of = (verdict: 0 | 1) => known.filter((item) => item.verdict === verdict)
  const passes = (items: readonly LabelledItem[]) => items.filter(({ final_pass }) => final_pass === 1).length
  return { x1: passes(of(1)), m1: of(1).length, x0: passes(of(0)), m0: of(0).length }
}
