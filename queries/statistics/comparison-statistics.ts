import { z } from 'zod'
import { bootstrapInterval, bootstrapSeed } from '../../domain/statistics/bootstrap.ts'
import { meanInterval, meanOf, median, type ClusteredMean, type MeanInterval } from '../../domain/statistics/means.ts'
import { pairedTest, VERDICTS } from '../../domain/statistics/paired-rates.ts'
import {
  chooseJoin,
  countPairs,
  joinCases,
  JOINS,
  mostTrials,
  pairUnits,
  pairingUnits,
  passInterval,
  type JoinedCase,
  type PairCounts,
} from '../../domain/statistics/pairing.ts'
import { pairsNeeded, smallestDifference, smallestScoreDifference } from '../../domain/statistics/planning.ts'
import { pairedRatio } from '../../domain/statistics/ratios.ts'
import { decisionOf } from '../../domain/statistics/comparison.ts'
import { passRate } from '../../domain/statistics/statistics.ts'
import { addCounts } from '../../domain/statistics/totals.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import type { DocumentReader } from '../runs/documents.ts'
import { judgeChanges } from '../../domain/review/judge-id.ts'
import { JudgeChange, readJudges } from '../reviews/judges.ts'
import { clusteredUnits, findGroups, type ClusterBy, type GroupOf } from './clusters.ts'
import { readColumn, type ComparedPair, type OutcomeRow } from './outcomes.ts'
import { clusterText, MEASURES, MeanView, meanView } from './run-statistics.ts'
import { ComparedRunView, findSide, PassRate, viewOfSide } from './side.ts'

const count = z.number().int()
const number = z.number().nullable()

const IntervalView = z.object({ estimate: z.number(), lower: z.number(), upper: z.number() })

/** The exact test of the cases that changed, and the difference that it is about. */
export const VerdictView = z.object({
  /** `too_few`: fewer than six cases changed, so the exact test cannot reach 0.05. */
  verdict: z.enum(VERDICTS),
  pairs: count,
  worse: count,
  better: count,
  /** Exact, two-sided. Null without pairs. */
  p_value: number,
  /** Less conservative, for reading only. */
  mid_p: number,
  difference: IntervalView.nullable(),
})

/** A paired mean difference with the t test that it is 0. */
const DifferenceView = MeanView.extend({ p_value: z.number() })
const ClusteredDifference = DifferenceView.extend({ groups: count, few_groups: z.boolean() })

const PairedMeasure = z.object({
  /** Cases that ran in both runs and recorded the measure in both. */
  pairs: count,
  base_median: number,
  head_median: number,
  base_total: number,
  head_total: number,
  /**
   * The geometric mean of head / base, with its 95 % interval and the test that it is 1, over the pairs with two positive
   * values of which none is from a cache. Groups as in `clustered`. Null for fewer than two groups.
   */
  ratio: z
    .object({
      estimate: z.number(),
      lower: z.number(),
      upper: z.number(),
      p_value: z.number(),
      pairs: count,
      groups: count,
      few_groups: z.boolean(),
    })
    .nullable(),
  /** Pairs that the ratio leaves out, because an answer was read from a cache. */
  from_cache: count,
})

/** Statistics over two runs. What is undefined is null. */
export const ComparisonStatistics = z
  .object({
    base: ComparedRunView,
    head: ComparedRunView,
    joined_by: z.enum(JOINS),
    same_suite: z.boolean(),
    shared: z.object({ cases: count, base_share: number, head_share: number, base_only: count, head_only: count }),
    ...VerdictView.shape,
    still_passing: count,
    still_failing: count,
    left_out: count,
    left_out_by: z.object({
      passed_then_neutral: count,
      failed_then_neutral: count,
      neutral_then_passed: count,
      neutral_then_failed: count,
      neutral_in_both: count,
    }),
    /** Several trials of a test were counted as independent cases. */
    assumes_independence: z.boolean(),
    /** The pass rates of the pairs alone. */
    base_pairs: PassRate,
    head_pairs: PassRate,
    /** What the number of pairs could have shown, with a power of about 0.8. */
    noticeable: z.object({
      /** The share of pairs whose outcome differs. */
      discordance: number,
      smallest_difference: number,
      pairs_needed: count.nullable(),
    }),
    scores: z
      .object({
        pairs: count,
        base_mean: z.number(),
        head_mean: z.number(),
        difference: DifferenceView.extend({ t: number }).nullable(),
        bootstrap: z.object({ resamples: count, lower: z.number(), upper: z.number() }).nullable(),
        smallest_difference: number,
      })
      .nullable(),
    clustered: z.object({
      by: z.string(),
      passes: ClusteredDifference.nullable(),
      scores: ClusteredDifference.nullable(),
    }),
    latency_ms: PairedMeasure,
    input_tokens: PairedMeasure,
    output_tokens: PairedMeasure,
    cost_usd: PairedMeasure,
    /** Metrics that another judge decided in the head; absent if there is none. A difference may be the judge's. */
    judge_changed: z.array(JudgeChange).optional(),
    /** A judge decided cases in both runs; absent if not. */
    judged: z.literal(true).optional(),
  })
  .meta({ id: 'ComparisonStatistics' })
export type ComparisonStatistics = z.infer<typeof ComparisonStatistics>

/** The test and the difference of paired cases. */
export const viewOfVerdict = ({
  worse,
  better,
  pairs,
}: Pick<PairCounts, 'worse' | 'better' | 'pairs'>): z.infer<typeof VerdictView> => {
  const { verdict, ...test } = pairedTest(worse, better, pairs)
  return { verdict, pairs, worse, better, ...test }
}

const differenceView = (interval: MeanInterval | null): z.infer<typeof DifferenceView> | null => {
  const view = meanView(interval)
  return view && interval && { ...view, p_value: interval.p_value }
}
const clusteredView = (interval: ClusteredMean | null): z.infer<typeof ClusteredDifference> | null => {
  const view = differenceView(interval)
  return view && interval && { ...view, groups: interval.groups, few_groups: interval.few_groups }
}

const rowCost = ({ cost_micro }: OutcomeRow): number | null => cost_micro

const measurePairs = (
  joined: ReadonlyArray<JoinedCase<OutcomeRow>>,
  of: (outcome: OutcomeRow) => number | null,
  groupOf: GroupOf,
  unit = 1,
): z.infer<typeof PairedMeasure> => {
  const [before, after]: [number[], number[]] = [[], []]
  const compared: Array<{ readonly base: number; readonly head: number; readonly group: string }> = []
  let from_cache = 0
  for (const { base, head } of joined) {
    if (!base || !head || base.status === 'skip' || head.status === 'skip') continue
    const [baseValue, headValue] = [of(base), of(head)]
    if (baseValue === null || headValue === null) continue
    before.push(baseValue)
    after.push(headValue)
    if (base.cached || head.cached) from_cache++
    else if (baseValue > 0 && headValue > 0) compared.push({ base: baseValue, head: headValue, group: groupOf(base) })
  }
  const ratio = pairedRatio(compared)
  const scaled = (value: number | null): number | null => (value === null ? null : value / unit)
  const total = (values: readonly number[]) => (values.length === 0 ? null : values.reduce(addCounts, 0))
  return {
    pairs: before.length,
    base_median: scaled(median(before)),
    head_median: scaled(median(after)),
    base_total: scaled(total(before)),
    head_total: scaled(total(after)),
    ratio: ratio && { ...ratio, pairs: compared.length },
    from_cache,
  }
}

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)

type Asked = ComparedPair & { readonly cluster_by: ClusterBy }

/**
 * Statistics over two runs, or over columns of one or two runs; null if a run is unknown, hidden or deleted. Reads all
 * their cases, so it must run on a reader thread. Throws `BadParameter` for a grouping or a column that no case has.
 */
export const findComparisonStatistics = async (
  reader: Reader,
  documents: DocumentReader,
  viewer: Viewer,
  asked: Asked,
): Promise<ComparisonStatistics | null> => {
  const { base, head } = await reader.readAll({
    base: findSide(viewer, asked.base),
    head: findSide(viewer, asked.head),
  })
  if (!base || !head) return null
  const before = await readColumn(reader, viewer, base, 'base_column', asked.base_column)
  const after = await readColumn(reader, viewer, head, 'head_column', asked.head_column)
  if (!before || !after) return null
  const groupOf = await findGroups(reader, documents, base.run_no, asked.cluster_by)

  const joined_by = chooseJoin([before, after])
  const joined = joinCases(before, after, joined_by)
  const counts = countPairs(joined)
  const { pairs, worse, better, still_passing, still_failing, left_out, left_out_by } = counts
  const [baseUnits, headUnits] = [pairingUnits(before, joined_by), pairingUnits(after, joined_by)]
  const units = pairUnits(baseUnits, headUnits)
  const passes = units.map(({ base_pass, head_pass }) => head_pass - base_pass)
  const scored = units.flatMap(({ first, base_score, head_score }) =>
    base_score === null || head_score === null ? [] : [{ first, base_score, head_score }],
  )
  const scores = scored.map(({ base_score, head_score }) => head_score - base_score)
  const difference = meanInterval(scores)
  const decided = joined.flatMap(({ base: one, head: other }) =>
    one && other && decisionOf(one.status) !== 'neutral' && decisionOf(other.status) !== 'neutral'
      ? [{ base: one, head: other }]
      : [],
  )
  const intervalOfPairs = (side: 'base' | 'head') =>
    passInterval(
      decided.map((pair) => pair[side]),
      (status) => decisionOf(status) === 'passing',
    )
  const discordance = share(worse + better, pairs)
  const judges = base.run_no === head.run_no ? [] : await readJudges(reader, [base.run_no, head.run_no])
  const [judgesOfBase, judgesOfHead] = [base, head].map(({ run_no }) => judges.filter((each) => each.run_no === run_no))
  const judge_changed = judgeChanges(judgesOfBase ?? [], judgesOfHead ?? [])
  return {
    base: await viewOfSide(reader, base, before, asked.base_column),
    head: await viewOfSide(reader, head, after, asked.head_column),
    joined_by,
    same_suite: base.project === head.project && base.suite === head.suite,
    shared: {
      cases: counts.shared,
      base_share: share(counts.shared, before.length),
      head_share: share(counts.shared, after.length),
      base_only: counts.base_only,
      head_only: counts.head_only,
    },
    ...viewOfVerdict(counts),
    still_passing,
    still_failing,
    left_out,
    left_out_by,
    assumes_independence: Math.max(mostTrials(baseUnits), mostTrials(headUnits)) > 1,
    base_pairs: { ...passRate(still_passing + worse, pairs), ...intervalOfPairs('base') },
    head_pairs: { ...passRate(still_passing + better, pairs), ...intervalOfPairs('head') },
    noticeable: {
      discordance,
      smallest_difference: discordance === null ? null : smallestDifference(pairs, discordance),
      pairs_needed: discordance === null ? null : pairsNeeded((better - worse) / pairs, discordance),
    },
    scores:
      scored.length === 0
        ? null
        : {
            pairs: scored.length,
            base_mean: meanOf(scored.map(({ base_score }) => base_score)),
            head_mean: meanOf(scored.map(({ head_score }) => head_score)),
            difference: difference && { ...(differenceView(difference) ?? difference), t: difference.t },
            bootstrap: bootstrapInterval(scores, bootstrapSeed(base.id, head.id)),
            smallest_difference: difference && smallestScoreDifference(difference.se, difference.df),
          },
    clustered: {
      by: clusterText(asked.cluster_by),
      passes: clusteredView(clusteredUnits(units, passes, groupOf)),
      scores: clusteredView(clusteredUnits(scored, scores, groupOf)),
    },
    latency_ms: measurePairs(joined, MEASURES.latency_ms, groupOf),
    input_tokens: measurePairs(joined, MEASURES.input_tokens, groupOf),
    output_tokens: measurePairs(joined, MEASURES.output_tokens, groupOf),
    cost_usd: measurePairs(joined, rowCost, groupOf, 1e6),
    ...(judge_changed.length > 0 && { judge_changed }),
    ...(judgesOfBase?.length && judgesOfHead?.length && { judged: true as const }),
  }
}
