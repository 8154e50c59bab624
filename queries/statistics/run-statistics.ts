import { z } from 'zod'
import type { Column } from '../../domain/lists/column.ts'
import { decisionOf } from '../../domain/statistics/comparison.ts'
import { meanInterval, median, type ClusteredMean, type MeanInterval } from '../../domain/statistics/means.ts'
import { mostTrials, pairingUnits, passInterval } from '../../domain/statistics/pairing.ts'
import { passRate } from '../../domain/statistics/statistics.ts'
import { addCounts } from '../../domain/statistics/totals.ts'
import { passesOfK, variancesOf, type PassedTrials } from '../../domain/statistics/trials.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import type { DocumentReader } from '../runs/documents.ts'
import { clusteredUnits, findGroups, type ClusterBy } from './clusters.ts'
import { readColumn, type OutcomeRow } from './outcomes.ts'
import { ComparedRunView, findSide, PassRate, viewOfSide } from './side.ts'

const count = z.number().int()

/** A mean with its 95 % interval by Student's t. */
export const MeanView = z.object({ mean: z.number(), se: z.number(), df: count, lower: z.number(), upper: z.number() })

/** A mean whose error takes into account that cases of a group depend on each other. */
const ClusteredView = MeanView.extend({ groups: count, few_groups: z.boolean() })

const Measure = z.object({
  /** Cases that ran and recorded the measure. A latency and a count of tokens of 0 were not recorded. */
  cases: count,
  missing: count,
  median: z.number().nullable(),
  total: z.number().nullable(),
})

/** The statistics of one run. What is undefined is null. */
export const RunStatistics = z
  .object({
    run: ComparedRunView,
    /** Tests in a column: the trials of one test count once. */
    units: count,
    /** The pass rate of the cases that passed or failed, and how many others were left out. */
    decided: PassRate,
    left_out: count,
    /** Cases that ended with an error. */
    errors: count,
    /** Independent units: the mean of the means of trials. */
    passes: MeanView.nullable(),
    scores: MeanView.nullable(),
    clustered: z.object({
      by: z.string(),
      passes: ClusteredView.nullable(),
      scores: ClusteredView.nullable(),
    }),
    trials: z
      .object({
        most: count,
        variance: z
          .object({
            cases: count,
            trials: count,
            within: z.number(),
            between: z.number(),
            icc: z.number().nullable(),
            mean: z.number(),
            se_cases_sampled: z.number(),
            se_cases_fixed: z.number(),
          })
          .nullable(),
      })
      .nullable(),
    /** For each k: the mean over the units with at least k trials. */
    pass_k: z.array(
      z.object({
        k: count,
        pass_at_k: z.number().nullable(),
        pass_hat_k: z.number().nullable(),
        units: count,
        left_out: count,
      }),
    ),
    latency_ms: Measure,
    input_tokens: Measure,
    output_tokens: Measure,
  })
  .meta({ id: 'RunStatistics' })
export type RunStatistics = z.infer<typeof RunStatistics>

/** The largest k that is shown without being asked for. */
export const MAX_SHOWN_K = 8

export const meanView = (interval: MeanInterval | null): z.infer<typeof MeanView> | null =>
  interval && {
    mean: interval.mean,
    se: interval.se,
    df: interval.df,
    lower: interval.lower,
    upper: interval.upper,
  }

const clusteredView = (interval: ClusteredMean | null): z.infer<typeof ClusteredView> | null => {
  const view = meanView(interval)
  return view && interval && { ...view, groups: interval.groups, few_groups: interval.few_groups }
}

/** Limits the interval of a share to 0 and 1. */
const asShare = <M extends { readonly lower: number; readonly upper: number }>(interval: M | null): M | null =>
  interval && { ...interval, lower: Math.max(0, interval.lower), upper: Math.min(1, interval.upper) }

/** A measure of a case; null if it was not recorded. */
export const MEASURES = {
  latency_ms: ({ latency_ms }: OutcomeRow) => positive(latency_ms),
  input_tokens: ({ prompt_tokens }: OutcomeRow) => positive(prompt_tokens),
  output_tokens: ({ completion_tokens }: OutcomeRow) => positive(completion_tokens),
} as const

/** The values of the cases that ran, each as a tally of one. */
export const sortedValues = (
  outcomes: readonly OutcomeRow[],
  of: (outcome: OutcomeRow) => number | null,
): Array<{ readonly value: number; readonly status: OutcomeRow['status']; readonly n: number }> =>
  outcomes
    .flatMap((outcome) => {
      const value = outcome.status === 'skip' ? null : of(outcome)
      return value === null ? [] : [{ value, status: outcome.status, n: 1 }]
    })
    .sort((a, b) => a.value - b.value)

const positive = (value: number | null): number | null => (value === null || value <= 0 ? null : value)

const measure = (
  outcomes: readonly OutcomeRow[],
  of: (outcome: OutcomeRow) => number | null,
): z.infer<typeof Measure> => {
  const ran = outcomes.filter(({ status }) => status !== 'skip')
  const values = ran.map(of).filter((value) => value !== null)
  return {
    cases: values.length,
    missing: ran.length - values.length,
    median: median(values),
    total: values.length === 0 ? null : values.reduce(addCounts, 0),
  }
}

/** The trials of a unit as values: 1 for those that passed. */
const outcomesOf = ({ n, c }: PassedTrials): number[] => Array.from({ length: n }, (_, i) => (i < c ? 1 : 0))

type Asked = {
  readonly run_id: string
  readonly k?: number | undefined
  readonly cluster_by: ClusterBy
  readonly column?: Column | undefined
}

/** What `cluster_by` was, for a response. */
export const clusterText = (cluster: ClusterBy): string =>
  cluster.by === 'test' ? 'test' : cluster.by === 'tag' ? `tag:${cluster.prefix}` : `var:${cluster.name}`

/**
 * The statistics of one run, or of a column of it; null for an unknown, hidden or deleted run. Reads all its cases, so it must run on a reader
 * thread. Throws `BadParameter` for a grouping or a column that no case has.
 */
export const findRunStatistics = async (
  reader: Reader,
  documents: DocumentReader,
  viewer: Viewer,
  { run_id, k, cluster_by, column }: Asked,
): Promise<RunStatistics | null> => {
  const side = await reader.read(findSide(viewer, run_id))
  const outcomes = side && (await readColumn(reader, viewer, side, 'column', column))
  if (!side || !outcomes) return null
  const groupOf = await findGroups(reader, documents, side.run_no, cluster_by)
  const unitMap = pairingUnits(outcomes, 'case_key')
  const units = [...unitMap.values()]
  const scored = units.filter((unit) => unit.scored > 0)
  const passes = units.map(({ passed, trials }) => passed / trials)
  const scores = scored.map((unit) => unit.score / unit.scored)
  const decided = units.reduce((sum, { trials }) => sum + trials, 0)
  const most = mostTrials(unitMap)
  const counts = units.map(({ trials, passed }) => ({ n: trials, c: passed }))
  const shownK = k === undefined ? Array.from({ length: Math.min(most, MAX_SHOWN_K) }, (_, i) => i + 1) : [k]
  return {
    run: await viewOfSide(reader, side, outcomes, column),
    units: units.length,
    decided: {
      ...passRate(
        units.reduce((sum, { passed }) => sum + passed, 0),
        decided,
      ),
      ...passInterval(
        outcomes.filter(({ status }) => decisionOf(status) !== 'neutral'),
        (status) => decisionOf(status) === 'passing',
      ),
    },
    left_out: outcomes.length - decided,
    errors: outcomes.reduce((sum, { status }) => sum + (status === 'error' ? 1 : 0), 0),
    passes: asShare(meanView(meanInterval(passes))),
    scores: meanView(meanInterval(scores)),
    clustered: {
      by: clusterText(cluster_by),
      passes: asShare(clusteredView(clusteredUnits(units, passes, groupOf))),
      scores: clusteredView(clusteredUnits(scored, scores, groupOf)),
    },
    trials: most > 1 ? { most, variance: variancesOf(counts.map(outcomesOf)) } : null,
    pass_k: shownK.map((each) => passesOfK(counts, each)),
    latency_ms: measure(outcomes, MEASURES.latency_ms),
    input_tokens: measure(outcomes, MEASURES.input_tokens),
    output_tokens: measure(outcomes, MEASURES.output_tokens),
  }
}
