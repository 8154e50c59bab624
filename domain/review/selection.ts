import { hash } from 'node:crypto'
import { expectedHalfWidth, labelsByVerdict } from '../statistics/planning.ts'
import type { LabelFormat } from './imported.ts'
import type { QueueItem, QueueRun } from './queue.ts'

// Which cases a queue has. Cases are in the order of the SHA-256 (hex) of the seed, a NUL, the id of the run, a NUL and the key of the
// case, so the same runs, seed and kind give the same cases in any language. The first ones of each group are taken.

/** What a queue is opened with. */
export type Selection =
  | { readonly kind: 'random'; readonly runs: readonly string[]; readonly count: number }
  | {
      readonly kind: 'by_verdict'
      readonly runs: readonly string[]
      readonly passed?: number | undefined
      readonly failed?: number | undefined
      /** In place of both: as many as bring the calibrated rate to this half width. */
      readonly half_width?: number | undefined
    }
  | { readonly kind: 'near_threshold' | 'suspected'; readonly runs: readonly string[]; readonly count: number }
  | {
      readonly kind: 'disagreement'
      readonly runs: readonly string[]
      readonly count: number
      readonly with_run?: string | undefined
      readonly with_metric?: string | undefined
    }
  | { readonly kind: 'list'; readonly cases: readonly { readonly run_id: string; readonly case_key: string }[] }
  /** Of a preference: the same tests in two runs, with different outputs. The first run is A, the second B. */
  | { readonly kind: 'pairs'; readonly runs: readonly string[]; readonly count: number }

/** How the cases of a queue were chosen, as its event says it: no run and no case by its name. */
export type RecordedSelection =
  | { readonly kind: 'random'; readonly count: number }
  | {
      readonly kind: 'by_verdict'
      readonly passed: number
      readonly failed: number
      readonly half_width: number | null
    }
  | { readonly kind: 'near_threshold' | 'disagreement' | 'suspected' | 'list' | 'pairs'; readonly count: number }
  | { readonly kind: 'imported'; readonly count: number; readonly format: LabelFormat }

export const MAX_ITEMS = 2_000
export const MAX_RUNS = 20

/** A case that a judge gave a verdict. `distance` is that of its score to the threshold, null without a score. */
export type Candidate = {
  /** The index of its run and judge in the queue. */
  readonly run: number
  readonly run_id: string
  readonly run_no: number
  readonly case_n: number
  readonly case_key: string
  readonly verdict: 0 | 1
  readonly criterion: string | null
  readonly distance: number | null
  readonly output: string | null
  readonly test: string | null
}

/** What people decided about a case before. */
type Decided = {
  readonly run_no: number
  readonly case_n: number
  readonly final: string | null
  readonly final_pass: 0 | 1 | null
  readonly targeted: boolean
}

type Labels = { readonly x1: number; readonly m1: number; readonly x0: number; readonly m0: number }

type Facts = {
  readonly selection: Exclude<Selection, { readonly kind: 'pairs' }>
  readonly seed: string
  readonly candidates: readonly Candidate[]
  /** Verdicts to compare with: of another run, or of another metric of the same runs. */
  readonly against: readonly Candidate[]
  readonly isSameRun: boolean
  readonly labelled: readonly Decided[]
  readonly known: Labels
}

/** How many cases could be taken, and how many were, of those that the judge passed and failed. */
export type DrawnGroups = Readonly<Record<'passed' | 'failed', { readonly cases: number; readonly taken: number }>>

type Drawn =
  | { readonly problem: string }
  | {
      readonly problem: null
      readonly items: readonly QueueItem[]
      readonly selection: RecordedSelection
      readonly targeted: boolean
      readonly groups: DrawnGroups
    }

const nameOf = ({ run_id, case_key }: Pick<Candidate, 'run_id' | 'case_key'>): string => `${run_id}\0${case_key}`
const orderKey = (seed: string, of: Pick<Candidate, 'run_id' | 'case_key'>): string =>
  hash('sha256', `${seed}\0${nameOf(of)}`, 'hex')

/** A case of two judges of one metric is taken once. */
const once = (candidates: readonly Candidate[]): Candidate[] => {
  const seen = new Map<number, Set<number>>()
  return candidates.filter(({ run_no, case_n }) => {
    const cases = seen.get(run_no) ?? new Set()
    seen.set(run_no, cases)
    return cases.size < cases.add(case_n).size
  })
}

const inOrder = <Case extends Pick<Candidate, 'run_id' | 'case_key'>>(seed: string, cases: readonly Case[]): Case[] =>
  cases
    .map((each) => ({ each, key: orderKey(seed, each) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ each }) => each)

/** Hex digits of a hash that a number has exactly. */
const EXACT_DIGITS = 13

/** The first `count` cases in the order of the seed. Sorting all cases by their hashes takes longer than all else that a draw does. */
const firstOf = (seed: string, cases: readonly Candidate[], count: number): Candidate[] => {
  const starts = Float64Array.from(cases, (each) => Number.parseInt(orderKey(seed, each).slice(0, EXACT_DIGITS), 16))
  const last = starts.toSorted()[count - 1] ?? Infinity
  return inOrder(
    seed,
    cases.filter((_, i) => (starts[i] ?? Infinity) <= last),
  ).slice(0, count)
}

const place = ({ run_no, case_n }: { readonly run_no: number; readonly case_n: number }): string =>
  `${run_no} ${case_n}`
const outputOf = ({ test, output }: Candidate): string | null => (output === null ? null : `${test}\0${output}`)

/** The sort is stable, so cases of one rank keep the order of the seed. */
const ranked = (cases: readonly Candidate[], rank: (each: Candidate) => number): Candidate[] =>
  cases.toSorted((a, b) => rank(a) - rank(b))

const disagreeing = ({ against, isSameRun }: Facts, cases: readonly Candidate[]): Candidate[] => {
  const keyOf = (each: Candidate): string | null => (isSameRun ? place(each) : outputOf(each))
  const others = new Map(against.map((each) => [keyOf(each), each.verdict]))
  return cases.filter((each) => {
    const key = keyOf(each)
    const verdict = key === null ? undefined : others.get(key)
    return verdict !== undefined && verdict !== each.verdict
  })
}

/** Cases that people judged otherwise than the judge, those first that the judge was surest of, and equal outputs with opposite labels. */
const suspicious = ({ labelled }: Facts, cases: readonly Candidate[]): Candidate[] => {
  const decided = new Map(
    labelled.flatMap((item) => (item.final_pass === null ? [] : [[place(item), item.final_pass]])),
  )
  const sides = new Map<string, Set<number>>()
  for (const each of cases) {
    const [output, side] = [outputOf(each), decided.get(place(each))]
    if (output !== null && side !== undefined) sides.set(output, (sides.get(output) ?? new Set()).add(side))
  }
  const found = cases.filter((each) => {
    const side = decided.get(place(each))
    return side !== undefined && (side !== each.verdict || sides.get(outputOf(each) ?? '')?.size === 2)
  })
  return ranked(found, ({ distance }) => -(distance ?? 0))
}

const tooMany = `a queue has 1 to ${MAX_ITEMS} cases`

/** Draws the items of a queue, in the order of the seed. */
export const drawSample = (facts: Facts): Drawn => {
  const { selection, seed, candidates, labelled, known } = facts
  const all = once(candidates)
  const decided = new Set(labelled.filter(({ final, targeted }) => final !== null && !targeted).map(place))
  const fresh = decided.size === 0 ? all : all.filter((each) => !decided.has(place(each)))
  const of = (cases: readonly Candidate[], verdict: 0 | 1) => cases.filter((each) => each.verdict === verdict)

  const result = (taken: readonly Candidate[], from: readonly Candidate[], recorded: RecordedSelection): Drawn => {
    if (taken.length === 0 || taken.length > MAX_ITEMS) return { problem: taken.length === 0 ? NO_CASE : tooMany }
    const group = (verdict: 0 | 1) => ({ cases: of(from, verdict).length, taken: of(taken, verdict).length })
    return {
      problem: null,
      items: inOrder(seed, taken).map(({ run, case_n, verdict, criterion }) => [run, case_n, verdict, criterion]),
      selection: recorded,
      targeted: recorded.kind !== 'random' && recorded.kind !== 'by_verdict',
      groups: { passed: group(1), failed: group(0) },
    }
  }

  if (selection.kind === 'random') {
    const { count } = selection
    if (count > fresh.length) return { problem: `${count} cases are asked for; there are ${fresh.length}` }
    return result(firstOf(seed, fresh, count), fresh, { kind: 'random', count })
  }
  if (selection.kind === 'by_verdict') {
    const [passes, fails] = [of(fresh, 1), of(fresh, 0)]
    const { half_width = null } = selection
    const wanted =
      half_width === null
        ? { passed: selection.passed ?? 0, failed: selection.failed ?? 0 }
        : labelsByVerdict(known, { passed: of(all, 1).length, failed: of(all, 0).length }, half_width)
    if (wanted === null) return { problem: `no number of labels brings these runs to a half width of ${half_width}` }
    if (wanted.passed > passes.length || wanted.failed > fails.length)
      return {
        problem: `${wanted.passed} passed and ${wanted.failed} failed cases are asked for; there are ${passes.length} and ${fails.length}`,
      }
    const taken = [...firstOf(seed, passes, wanted.passed), ...firstOf(seed, fails, wanted.failed)]
    return result(taken, fresh, { kind: 'by_verdict', ...wanted, half_width })
  }
  if (selection.kind === 'list') {
    const named = new Map(all.map((each) => [nameOf(each), each]))
    const taken = new Set<Candidate>()
    for (const each of selection.cases) {
      const found = named.get(nameOf(each))
      if (!found) return { problem: `the run ${each.run_id} has no judged case ${each.case_key}` }
      taken.add(found)
    }
    return result([...taken], all, { kind: 'list', count: taken.size })
  }
  const { kind, count } = selection
  const sorted = inOrder(seed, all)
  const from =
    kind === 'near_threshold'
      ? ranked(
          sorted.filter(({ distance }) => distance !== null),
          ({ distance }) => distance ?? Infinity,
        )
      : kind === 'disagreement'
        ? disagreeing(facts, sorted)
        : suspicious(facts, sorted)
  return result(from.slice(0, count), from, { kind, count: Math.min(count, from.length) })
}

const NO_CASE = 'there is no such case'

/** A case of the run A, and the case of the run B that has the same test. */
export type CandidatePair = Pick<Candidate, 'run_id' | 'case_key' | 'case_n'> & { readonly second_case_n: number }

/** Draws pairs, in the order that the seed gives to their first cases. */
export const drawPairs = (
  seed: string,
  pairs: readonly CandidatePair[],
  count: number,
): { readonly problem: string } | { readonly problem: null; readonly items: readonly QueueItem[] } => {
  if (count > pairs.length)
    return {
      problem: `${count} pairs are asked for; the runs share ${pairs.length} tests with different outputs`,
    }
  return {
    problem: null,
    items: inOrder(seed, pairs)
      .slice(0, count)
      .map(({ case_n, second_case_n }) => [0, case_n, null, null, 1, second_case_n, null, null]),
  }
}

/** The half width that a calibrated pass rate has with the labels of a sample and those before; null if nothing can be said. */
export const expectedHalfWidthOf = (
  known: Labels,
  runs: readonly QueueRun[],
  items: readonly QueueItem[],
): number | null => {
  const passed = runs.reduce((sum, run) => sum + run.passed, 0)
  const n = passed + runs.reduce((sum, run) => sum + run.failed, 0)
  const taken = (verdict: 0 | 1) => items.filter((item) => item[2] === verdict).length
  const labels = { passed: known.m1 + taken(1), failed: known.m0 + taken(0) }
  return n === 0 ? null : expectedHalfWidth(known, { n, w: passed / n }, labels)
}
