import { z } from 'zod'
import { isHigher } from '../../domain/series/attention.ts'
import { changeBetween, measureChanges, type MeasureChange } from '../../domain/series/change.ts'
import { readMeasures } from '../../domain/series/measures.ts'
import { isBetter, isWorse, newChange } from '../../domain/series/outcome.ts'
import { readOutline } from '../../domain/series/outline.ts'
import type { Thresholds } from '../../domain/suite-settings.ts'
import { adjustForMany } from '../../domain/statistics/many.ts'
import type { TrendPoint } from '../../domain/statistics/change-points.ts'
import { maybeOne, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { findPreviousRun } from '../runs/previous-run.ts'
import { findBaseline } from '../sets/baselines.ts'
import { findSuiteSettings, thresholdsOf } from '../sets/suite-settings.ts'
import { findTrend } from '../statistics/trend.ts'

const count = z.number().int()

/** What a run is compared with, and the counts of the cases of both. Runs are numbers, so that no name is in it. */
export type Compared = {
  readonly against: 'baseline' | 'previous'
  readonly run_no: number
  readonly worse: number
  readonly better: number
  readonly p: number
}

/** A change of the trend of a suite that a run made visible. */
type Change = { readonly run_no: number; readonly before: TrendPoint; readonly after: TrendPoint }

/** How many times as much the cases of both runs cost, or how many times as long they took. */
type MeasuredAgainst = {
  readonly run_no: number
  readonly ratio: number
  readonly lower: number
  readonly upper: number
  readonly pairs: number
  readonly p: number
}

/** What a new run means for its suite, in numbers. */
export type RunOutcome = {
  readonly regressed: Compared | null
  readonly recovered: Compared | null
  /** Compared with the previous like run, as in the overview. */
  readonly costlier: MeasuredAgainst | null
  readonly slower: MeasuredAgainst | null
  /** The previous like run, and how many metrics another judge decided there. */
  readonly judged: { readonly run_no: number; readonly metrics: number } | null
  readonly changed: Change | null
}

/** `hasTrend`: whether to look for a change of the trend. */
export type OutcomeRequest = { readonly run_id: string; readonly hasTrend: boolean }

const Outlined = z.object({
  run_no: count,
  id: z.string(),
  project: z.string().nullable(),
  suite: z.string().nullable(),
  created_at: count,
  outline: z.instanceof(Buffer),
  measures: z.instanceof(Buffer).nullable(),
})
type Outlined = z.infer<typeof Outlined>

const findOutlined = (id: string): Query<Outlined | null> =>
  maybeOne(sql.type(Outlined)`
    SELECT runs.run_no, runs.id, runs.project, runs.suite, runs.created_at, o.outline, o.measures
    FROM runs JOIN run_outlines o ON o.run_no = runs.run_no WHERE runs.id = ${id}`)

const comparedWith = (against: Compared['against'], older: Outlined, newer: Outlined): Compared => {
  const { worse, better, p } = changeBetween(readOutline(older.outline), readOutline(newer.outline))
  return { against, run_no: older.run_no, worse, better, p }
}

/** Which of cost and latency are higher; the two tests are one family. */
const higherThan = (
  older: Outlined | null,
  newer: Outlined,
  thresholds: Thresholds,
): Pick<RunOutcome, 'costlier' | 'slower'> => {
  if (!older?.measures || !newer.measures) return { costlier: null, slower: null }
  const { cost, latency } = measureChanges(
    { outline: readOutline(older.outline), measures: readMeasures(older.measures) },
    { outline: readOutline(newer.outline), measures: readMeasures(newer.measures) },
  )
  const tested = [cost, latency].filter((change) => change !== null)
  const adjusted = new Map(adjustForMany(tested.map(({ p_value }) => p_value)).map((q, i) => [tested[i], q]))
  const higher = (change: MeasureChange | null, risePercent: number | undefined): MeasuredAgainst | null => {
    if (!change || !isHigher(change, adjusted.get(change) ?? null, risePercent)) return null
    const { estimate, lower, upper, pairs, p_value } = change
    return { run_no: older.run_no, ratio: estimate, lower, upper, pairs, p: p_value }
  }
  return { costlier: higher(cost, thresholds.cost), slower: higher(latency, thresholds.latency) }
}

/**
 * What a run means for its suite, by the exact test of McNemar and by the changes of its trend; null for a run without a
 * suite, or that was deleted. With a baseline, a run regresses if it is worse than the baseline, and recovers if the
 * previous like run was worse than the baseline and it is not. Without one, or for a run from before it, both are said of
 * the previous like run. `viewer` sees everything: the caller checks who may receive the outcome. Reads many outlines, for
 * a change of the trend up to 200.
 */
export const findRunOutcome = async (
  reader: Reader,
  viewer: Viewer,
  { run_id, hasTrend }: OutcomeRequest,
): Promise<RunOutcome | null> => {
  const run = await reader.read(findOutlined(run_id))
  if (!run || run.project === null || run.suite === null) return null
  const suite = { project: run.project, suite: run.suite }
  const pinned = await reader.read(findBaseline(viewer, suite))
  const { previous: before, judge_changed = [] } = (await findPreviousRun(reader, viewer, run_id)) ?? { previous: null }
  const previous = before && (await reader.read(findOutlined(before.id)))
  const baseline = pinned && pinned.run_id !== run_id ? await reader.read(findOutlined(pinned.run_id)) : null
  const thresholds = thresholdsOf(await reader.read(findSuiteSettings(viewer, suite)))
  const measured = higherThan(previous, run, thresholds)
  const judged =
    previous && judge_changed.length > 0 ? { run_no: previous.run_no, metrics: judge_changed.length } : null
  const changed = hasTrend ? await findNewChange(reader, viewer, run, suite) : null

  if (baseline && baseline.created_at <= run.created_at) {
    const compared = comparedWith('baseline', baseline, run)
    const wasWorse =
      previous !== null &&
      previous.id !== baseline.id &&
      previous.created_at >= baseline.created_at &&
      isWorse(comparedWith('baseline', baseline, previous))
    return {
      regressed: isWorse(compared) ? compared : null,
      recovered: wasWorse && !isWorse(compared) ? compared : null,
      ...measured,
      judged,
      changed,
    }
  }
  const compared = previous && comparedWith('previous', previous, run)
  return {
    regressed: compared && isWorse(compared) ? compared : null,
    recovered: compared && isBetter(compared) ? compared : null,
    ...measured,
    judged,
    changed,
  }
}

const RunNo = z.object({ run_no: count })

/** The change that a run made visible in the trend up to it. Later runs may be there already. */
const findNewChange = async (
  reader: Reader,
  viewer: Viewer,
  run: Outlined,
  suite: { readonly project: string; readonly suite: string },
): Promise<Change | null> => {
  const trend = await findTrend(reader, viewer, suite, false)
  const joined = trend?.runs.filter(({ partial }) => !partial) ?? []
  const upToRun = joined.slice(0, joined.findIndex(({ id }) => id === run.id) + 1)
  // Pass rates of two judges are never one level.
  const swaps = new Set(trend?.judge_changes?.map(({ run_id }) => run_id))
  const runs = upToRun.slice(
    Math.max(
      0,
      upToRun.findLastIndex(({ id }) => swaps.has(id)),
    ),
  )
  const change = newChange(runs.map(({ passed, total }) => ({ passed, total })))
  const first = change && runs[change.from]
  if (!change || !first) return null
  const found = await reader.read(maybeOne(sql.type(RunNo)`SELECT run_no FROM runs WHERE id = ${first.id}`))
  const pointOf = ({ passed, total }: TrendPoint): TrendPoint => ({ passed, total })
  return found && { run_no: found.run_no, before: pointOf(change.before), after: pointOf(change.after) }
}
