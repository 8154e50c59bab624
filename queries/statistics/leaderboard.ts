import { z } from 'zod'
import { bootstrapInterval, TESTS_SEED } from '../../domain/statistics/bootstrap.ts'
import { columnText, COLUMNS_BY, groupByColumn, type Column, type ColumnsBy } from '../../domain/lists/column.ts'
import { quantile } from '../../domain/statistics/histogram.ts'
import { meanInterval, meanOf } from '../../domain/statistics/means.ts'
import { mostTrials, pairingUnits, type Unit } from '../../domain/statistics/pairing.ts'
import { passRate } from '../../domain/statistics/statistics.ts'
import { addCounts } from '../../domain/statistics/totals.ts'
import { passesOfK } from '../../domain/statistics/trials.ts'
import { usd } from '../../domain/wire.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { BadParameter } from '../bad-parameter.ts'
import { findRun } from '../runs/run.ts'
import { AgainstBase, compareColumns } from './against-base.ts'
import { readOutcomes, type OutcomeRow } from './outcomes.ts'
import { MAX_SHOWN_K, MEASURES, sortedValues } from './run-statistics.ts'
import { ComparedColumn } from './side.ts'

const count = z.number().int()
const number = z.number().nullable()
export const IntervalView = z.object({ mean: z.number(), lower: number, upper: number })

/** The columns of one run, best first. What nothing recorded is null. */
export const Leaderboard = z
  .object({
    run_id: z.string(),
    by: z.enum(COLUMNS_BY),
    /** Null for a run without cases. */
    base: ComparedColumn.nullable(),
    /** No base was asked for, so it is the best column. Picked from the same data, it looks better than it is. */
    base_is_best: z.boolean(),
    /** Columns that the run has. 200 are listed: the base, and the best of the others. */
    column_count: count,
    columns: z.array(
      ComparedColumn.extend({
        cases: count,
        /** Tests whose cases passed or failed: the trials of a test count once. */
        tests: count,
        /** The most trials of one test. */
        most_trials: count,
        /** The mean over tests of their shares of passed trials, with its 95 % interval over tests. */
        passes: IntervalView.nullable(),
        /** The mean over tests of their mean scores, likewise. */
        scores: IntervalView.nullable(),
        /** For k = 1 to the number of trials, at most 8. Empty for one trial. */
        pass_k: z.array(z.object({ k: count, pass_at_k: number, pass_hat_k: number })),
        latency_ms: z.object({ median: number, p95: number }),
        input_tokens_median: number,
        output_tokens_median: number,
        cost_usd: number,
        /** Cases that ran and recorded no cost. */
        cost_missing: count,
        /** Null for the base. */
        against_base: AgainstBase.nullable(),
      }),
    ),
  })
  .meta({ id: 'Leaderboard' })
export type Leaderboard = z.infer<typeof Leaderboard>

/** Maximum number of columns of a response. */
const MAX_COLUMNS = 200

/** Resampling is for runs whose columns together have at most this many tests: their passes and scores take a reader thread 0.15 s. */
const MAX_RESAMPLED_TESTS = 1_000

/** A column with its cases. Units are its tests. */
type Line = {
  readonly column: Column
  readonly outcomes: OutcomeRow[]
  readonly units: ReadonlyMap<string, Unit<OutcomeRow>>
  readonly passed: number | null
  readonly score: number | null
}

const meanOrNull = (values: readonly number[]): number | null => (values.length === 0 ? null : meanOf(values))
const passShares = ({ units }: Line): number[] => [...units.values()].map(({ passed, trials }) => passed / trials)
const scoreMeans = (units: Line['units']): number[] =>
  [...units.values()].flatMap(({ scored, score }) => (scored === 0 ? [] : [score / scored]))

const lineOf = (column: Column, outcomes: OutcomeRow[]): Line => {
  const units = pairingUnits(outcomes, 'case_key')
  const line = { column, outcomes, units, passed: null, score: meanOrNull(scoreMeans(units)) }
  return { ...line, passed: meanOrNull(passShares(line)) }
}

/** Best first: by passes, then by score; a column without decided cases is last. Ties stay in the order of the document. */
const bestFirst = (a: Line, b: Line): number =>
  (b.passed ?? -1) - (a.passed ?? -1) || (b.score ?? -Infinity) - (a.score ?? -Infinity) || 0

/** The interval of a mean over tests: by resampling them, or by Student's t where that would take too long. */
const testInterval = (values: readonly number[], seed: string | null): z.infer<typeof IntervalView> | null => {
  const mean = meanOrNull(values)
  if (mean === null) return null
  const { lower = null, upper = null } =
    (seed === null ? null : bootstrapInterval(values, seed)) ?? meanInterval(values) ?? {}
  return { mean, lower, upper }
}

/**
 * The interval of a pass rate over tests, from the share of passed trials of each. With one trial a test it is Wilson's,
 * which also holds near 0 and 1; with several, the trials of a test depend on each other, so it is over tests. Without a
 * seed for resampling, that is Student's t. Null without tests.
 */
export const sharesInterval = (
  shares: readonly number[],
  trials: number,
  seed: string | null,
): z.infer<typeof IntervalView> | null => {
  // Where all tests have the same share, their spread says nothing, but Wilson's interval of the tests does.
  if (shares.length === 0 || (trials > 1 && shares.some((share) => share !== shares[0]))) {
    const interval = testInterval(shares, seed)
    const limited = (value: number | null): number | null => value && Math.min(1, Math.max(0, value))
    return interval && { ...interval, lower: limited(interval.lower), upper: limited(interval.upper) }
  }
  const { rate, lower, upper } = passRate(shares.reduce(addCounts, 0), shares.length)
  return { mean: rate, lower, upper }
}
const passInterval = (line: Line, seed: string | null): z.infer<typeof IntervalView> | null =>
  sharesInterval(passShares(line), mostTrials(line.units), seed)

const lineView = (
  line: Line,
  seed: string | null,
  against_base: z.infer<typeof AgainstBase> | null,
): Leaderboard['columns'][number] => {
  const { column, outcomes, units } = line
  const ran = outcomes.filter(({ status }) => status !== 'skip')
  const costs = ran.flatMap(({ cost_micro }) => (cost_micro === null ? [] : [cost_micro]))
  const most_trials = mostTrials(units)
  const shownK = most_trials > 1 ? Math.min(most_trials, MAX_SHOWN_K) : 0
  const trials = [...units.values()].map((unit) => ({ n: unit.trials, c: unit.passed }))
  const latencies = sortedValues(outcomes, MEASURES.latency_ms)
  return {
    ...column,
    cases: outcomes.length,
    tests: units.size,
    most_trials,
    passes: passInterval(line, seed),
    scores: testInterval(scoreMeans(units), seed),
    pass_k: Array.from({ length: shownK }, (_, i) => {
      const { k, pass_at_k, pass_hat_k } = passesOfK(trials, i + 1)
      return { k, pass_at_k, pass_hat_k }
    }),
    latency_ms: { median: quantile(latencies, 0.5), p95: quantile(latencies, 0.95) },
    input_tokens_median: quantile(sortedValues(outcomes, MEASURES.input_tokens), 0.5),
    output_tokens_median: quantile(sortedValues(outcomes, MEASURES.output_tokens), 0.5),
    cost_usd: usd(costs.length === 0 ? null : costs.reduce(addCounts, 0)),
    cost_missing: ran.length - costs.length,
    against_base,
  }
}

export type LeaderboardRequest = {
  readonly run_id: string
  readonly by: ColumnsBy
  readonly base?: Column | undefined
}

/**
 * The columns of a run, best first, each compared with one of them; null for an unknown, hidden or deleted run. Reads
 * all its cases, so it must run on a reader thread. Throws `BadParameter` for a base that is no column of the run.
 */
export const findLeaderboard = async (
  reader: Reader,
  viewer: Viewer,
  { run_id, by, base: asked }: LeaderboardRequest,
): Promise<Leaderboard | null> => {
  const run = await reader.read(findRun(viewer, run_id))
  const outcomes = run && (await readOutcomes(reader, viewer, run))
  if (!outcomes) return null
  const lines = groupByColumn(outcomes, by)
    .map(({ column, cases }) => lineOf(column, cases))
    .sort(bestFirst)
  const base = asked ? lines.find(({ column }) => columnText(column) === columnText(asked)) : lines[0]
  if (asked && !base) throw new BadParameter(`base: the run has no column ${JSON.stringify(columnText(asked))}`)
  const others = lines.filter((line) => line !== base).slice(0, MAX_COLUMNS - 1)
  const verdicts = compareColumns(
    base?.outcomes ?? [],
    others.map((line) => line.outcomes),
  )
  const found = new Map(others.map((line, i) => [line, verdicts[i] ?? null]))
  const listed = lines.filter((line) => line === base || found.has(line))
  const tests = listed.reduce((sum, { units }) => sum + units.size, 0)
  const seed = tests <= MAX_RESAMPLED_TESTS ? TESTS_SEED : null
  return {
    run_id,
    by,
    base: base?.column ?? null,
    base_is_best: asked === undefined,
    column_count: lines.length,
    columns: listed.map((line) => lineView(line, seed, found.get(line) ?? null)),
  }
}
