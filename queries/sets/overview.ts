import { JUDGE_FIELDS } from '../../domain/review/judge-id.ts'
import { z } from 'zod'
import {
  attentionOf,
  GROUPS as GROUPS_OF_FACTS,
  REASON_CODES,
  reasonText,
  type Adjusted,
  type Attention,
} from '../../domain/series/attention.ts'
import type { Thresholds } from '../../domain/suite-settings.ts'
import { adjustForMany } from '../../domain/statistics/many.ts'
import { runPassRate } from '../../domain/statistics/statistics.ts'
import { addCounts } from '../../domain/statistics/totals.ts'
import { orNull, page, rfc3339, usd } from '../../domain/wire.ts'
import { any, constant, sql, type Fragment } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import type { SetAccess } from '../access/set-access.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { columnList } from '../columns.ts'
import { isSnoozed, settingsView, suiteKey, SuiteSettings, type StoredSettings } from './suite-settings.ts'
import { compareTuples, parseTupleCursor, tupleCursorText, type Tuple } from '../tuple-cursor.ts'
import {
  ACTIVITY_DAYS,
  DAY_COLUMNS,
  DAY_MS,
  firstOfDays,
  HeadRow,
  LATEST_RUNS,
  type Day,
  type RunHead,
  type SuiteState,
} from './suite-states.ts'

const count = z.number().int()
const text = z.string().nullable()
const real = z.number().nullable()

const PassRate = z.object({ passed: count, total: count, rate: z.number(), lower: z.number(), upper: z.number() })

const OverviewRun = z.object({
  ...HeadRow.omit({ pass_interval: true }).shape,
  created_at: z.string(),
  pass_rate: PassRate,
})

/** `quiet`: it would need attention, but has had no run for `QUIET_MS`. */
const GROUPS = [...GROUPS_OF_FACTS, 'snoozed', 'quiet', 'archived'] as const
type Group = (typeof GROUPS)[number]

/** Without a run for so long, a suite needs no attention any more. */
const QUIET_MS = 90 * DAY_MS

/** A code, and the numbers that it is about. */
const Reason = z.object({
  code: z.enum(REASON_CODES),
  points: real.optional(),
  worse: count.optional(),
  better: count.optional(),
  lost: count.optional(),
  regained: count.optional(),
  p: z.number().optional(),
  q: real.optional(),
  /** How many times as high the cost or the latency is as in the previous like run, with its 95 % interval. */
  ratio: z.number().optional(),
  lower: z.number().optional(),
  upper: z.number().optional(),
  /** The cases that the ratio is of. */
  pairs: count.optional(),
  /** Metrics that another judge decided than in the previous like run, and the members of judges that differ. */
  metrics: count.optional(),
  differs: z.array(z.enum(JUDGE_FIELDS)).optional(),
  flaky: count.optional(),
  errors: count.optional(),
  idle_ms: z.number().optional(),
  usual_gap_ms: z.number().optional(),
  is_baseline: z.boolean().optional(),
  runs: count.optional(),
  providers: count.optional(),
  /** Cases that passed earlier and failed in the newest runs, not in the newest one alone. */
  still_failing: z.object({ cases: count, runs: count }).optional(),
})

const OverviewSuite = z
  .object({
    project: z.string(),
    suite: z.string(),
    group: z.enum(GROUPS),
    attention: z.boolean(),
    reason: Reason,
    reason_text: z.string(),
    newest_run: OverviewRun,
    previous_run: z.object({ id: z.string(), created_at: z.string(), pass_rate: PassRate }).nullable(),
    worse: count.nullable(),
    better: count.nullable(),
    lost: count.nullable(),
    regained: count.nullable(),
    p: real,
    q: real,
    assumes_independence: z.boolean(),
    flaky_count: count.nullable(),
    like_run_count: count,
    run_count: count,
    usual_gap_ms: real,
    pass_rates: z.array(z.number()),
    baseline: z.object({ run_id: z.string(), pass_rate: PassRate.nullable() }).nullable(),
    restricted: z.boolean(),
    /** Null if nothing is set. */
    settings: SuiteSettings.nullable(),
  })
  .meta({ id: 'OverviewSuite' })

const counts = {
  suites: count,
  attention: count,
  steady: count,
  no_trend: count,
  snoozed: count,
  quiet: count,
  archived: count,
}

/** What needs attention: every suite with what happened in it, worst first; recent activity; the latest runs. */
export const Overview = z
  .object({
    suites: z.array(OverviewSuite),
    next_cursor: text,
    counts: z.object(counts),
    projects: z.array(z.object({ project: z.string(), suite_count: count })),
    activity: z.object({
      days: z.array(
        z.object({ date: z.string(), runs: count, cost_usd: real, grader_cost_usd: real, runs_without_cost: count }),
      ),
      runs: count,
      cost_usd: real,
      grader_cost_usd: real,
      runs_without_cost: count,
    }),
    /** `title` was added after the upload; null for none. */
    latest_runs: z.array(OverviewRun.extend({ title: text })),
  })
  .meta({ id: 'Overview' })
export type Overview = z.infer<typeof Overview>

const SetVersion = z.object({
  set_key: z.string(),
  project: z.string(),
  suite: z.string().nullable(),
  run_count: count,
  latest_run_no: count,
  baseline_run_id: text,
})
/** A run set, and what changes when its state does. */
export type SetVersion = z.infer<typeof SetVersion>

/** The run sets that the viewer may see. */
export const listSetVersions = (viewer: Viewer): Query<SetVersion[]> =>
  any(sql.type(SetVersion)`
    SELECT sets.set_key, sets.project, sets.suite, sets.run_count, sets.latest_run_no, baselines.run_id AS baseline_run_id
    FROM sets LEFT JOIN baselines ON baselines.project = sets.project AND baselines.suite = sets.suite
    WHERE sets.latest_run_no IS NOT NULL AND ${visible(viewer, 'sets')}`)

const WITHOUT_PROJECT: Fragment = sql.fragment`runs.set_key IS NULL`

/** Runs without a project are in no set. Every viewer may see them, but a limited key. */
export const listLatestWithoutProject = ({ limit }: Viewer): Query<RunHead[]> =>
  limit
    ? constant([])
    : any(
        sql.type(HeadRow)`
          SELECT ${columnList('runs', HeadRow)} FROM runs
          WHERE ${WITHOUT_PROJECT}
          ORDER BY runs.created_at DESC, runs.id DESC LIMIT ${LATEST_RUNS}`,
      )

const DayRow = z.object({
  day: count,
  runs: count,
  cost_micro: real,
  grader_cost_micro: real,
  runs_without_cost: count,
})

export const listDaysWithoutProject = (newest: number): Query<Day[]> =>
  any(
    sql.type(DayRow)`
      SELECT ${DAY_COLUMNS} FROM runs
      WHERE ${WITHOUT_PROJECT} AND runs.created_at >= ${firstOfDays(newest)} GROUP BY day`,
  )

/** The newest instant of runs, or null. */
export const newestInstant = (states: readonly SuiteState[], without: readonly RunHead[]): number | null => {
  const newest = states.reduce(
    (last, { newest: { created_at } }) => Math.max(last, created_at),
    without[0]?.created_at ?? -Infinity,
  )
  return Number.isFinite(newest) ? newest : null
}

const overviewRun = (run: RunHead): z.infer<typeof OverviewRun> => ({
  id: run.id,
  project: run.project,
  suite: run.suite,
  created_at: rfc3339(run.created_at),
  note: run.note,
  git_branch: orNull(run.git_branch),
  git_commit: orNull(run.git_commit),
  case_count: run.case_count,
  pass_count: run.pass_count,
  fail_count: run.fail_count,
  error_count: run.error_count,
  pass_rate: runPassRate(run),
})

type Suite = SuiteState & { readonly suite: string; readonly facts: NonNullable<SuiteState['facts']> }
const isSuite = (state: SuiteState): state is Suite => state.suite !== null && state.facts !== null

type Ranked = {
  readonly state: Suite
  readonly q: number | null
  readonly attention: Attention
  readonly group: Group
  readonly tuple: Tuple
}

/** The runs of some days. Money is null while no run recorded any. */
type Total = { -readonly [K in keyof Omit<Day, 'day'>]: Day[K] }
const noRuns = (): Total => ({ runs: 0, cost_micro: null, grader_cost_micro: null, runs_without_cost: 0 })
const add = (total: Total, more: Readonly<Total>): void => {
  total.runs = addCounts(total.runs, more.runs)
  total.runs_without_cost = addCounts(total.runs_without_cost, more.runs_without_cost)
  if (more.cost_micro !== null) total.cost_micro = (total.cost_micro ?? 0) + more.cost_micro
  if (more.grader_cost_micro !== null) total.grader_cost_micro = (total.grader_cost_micro ?? 0) + more.grader_cost_micro
}

const sumDays = (states: readonly SuiteState[]): Day[] => {
  const totals = new Map<number, Total>()
  for (const { days } of states)
    for (const day of days) {
      const total = totals.get(day.day) ?? noRuns()
      totals.set(day.day, total)
      add(total, day)
    }
  return Array.from(totals, ([day, total]) => ({ day, ...total }))
}

const isNewer = (a: RunHead, b: RunHead): boolean =>
  a.created_at === b.created_at ? compareTuples([a.id], [b.id]) > 0 : a.created_at > b.created_at

/** The newest of several lists, each of which is newest first. */
const newestRuns = (lists: Iterable<readonly RunHead[]>): RunHead[] => {
  const newest: RunHead[] = []
  for (const list of lists)
    for (const run of list) {
      const last = newest[LATEST_RUNS - 1]
      if (last && (run.created_at < last.created_at || !isNewer(run, last))) break
      const place = newest.findIndex((other) => isNewer(run, other))
      newest.splice(place < 0 ? newest.length : place, 0, run)
      newest.length = Math.min(newest.length, LATEST_RUNS)
    }
  return newest
}

/**
 * All suites, worst first, and how many of them are in each group; with the suites' sums: their runs of each day, and
 * their newest runs, newest first.
 */
export type Ranking = {
  readonly ranked: readonly Ranked[]
  readonly counts: Overview['counts']
  readonly days: readonly Day[]
  readonly latest: readonly RunHead[]
}

const NO_TEST: Adjusted = { change: null, cost: null, latency: null }

/** The p-values of what changed in suites: those of changed cases are one family, those of cost and latency another. */
const adjustedTests = (suites: readonly Suite[]): ReadonlyMap<Suite, Adjusted> => {
  const found = new Map<Suite, Adjusted>()
  const adjust = (tests: ReadonlyArray<readonly [Suite, keyof Adjusted, number | undefined]>): void => {
    const known = tests.flatMap(([suite, of, p]) => (p === undefined ? [] : [{ suite, of, p }]))
    const adjusted = adjustForMany(known.map(({ p }) => p))
    for (const [i, { suite, of }] of known.entries())
      found.set(suite, { ...(found.get(suite) ?? NO_TEST), [of]: adjusted[i] ?? 1 })
  }
  adjust(suites.map((suite) => [suite, 'change', suite.facts.change?.p]))
  adjust(
    suites.flatMap((suite) =>
      (['cost', 'latency'] as const).map((of) => [suite, of, suite.facts.measured?.[of]?.p_value] as const),
    ),
  )
  return found
}

/** Ranks suites. `thresholds` are those that are set, by `suiteKey`. */
export const rankSuites = (
  states: readonly SuiteState[],
  now: number,
  thresholds: ReadonlyMap<string, Thresholds>,
): Ranking => {
  const suites = states.filter(isSuite)
  const tests = adjustedTests(suites)
  const counts = { suites: suites.length, attention: 0, steady: 0, no_trend: 0, snoozed: 0, quiet: 0, archived: 0 }
  const ranked = suites
    .map((state): Ranked => {
      const { facts, newest, run_count, baseline_run_id, project, suite } = state
      const adjusted = tests.get(state) ?? NO_TEST
      const q = adjusted.change
      const attention = attentionOf(
        { ...facts, newest, run_count, has_baseline: baseline_run_id !== null },
        adjusted,
        now,
        thresholds.get(suiteKey(state)),
      )
      const isQuiet = attention.group === 'attention' && now - newest.created_at > QUIET_MS
      const group: Group = isQuiet ? 'quiet' : attention.group
      counts[group]++
      const place = isQuiet ? [GROUPS.indexOf(group), 0, 0] : attention.order
      return { state, q, attention, group, tuple: [...place, -newest.created_at, project, suite] }
    })
    .sort((a, b) => compareTuples(a.tuple, b.tuple))
  return { ranked, counts, days: sumDays(states), latest: newestRuns(states.map(({ latest }) => latest)) }
}

/** A ranking as the settings of its suites change it: what is snoozed or archived leaves its group. */
const withSettings = (ranking: Ranking, settings: OverviewInput['settings'], now: number): Ranking => {
  if (settings.size === 0) return ranking
  const counts = { ...ranking.counts }
  const ranked = ranking.ranked.map((each) => {
    const stored = settings.get(suiteKey(each.state))
    const group = !stored ? null : stored.archive ? 'archived' : isSnoozed(stored, now) ? 'snoozed' : null
    if (group === null) return each
    counts[each.group]--
    counts[group]++
    const [, , , ...rest] = each.tuple
    return { ...each, group, tuple: [GROUPS.indexOf(group), 0, 0, ...rest] } as const
  })
  return { ...ranking, counts, ranked: ranked.sort((a, b) => compareTuples(a.tuple, b.tuple)) }
}

/** Whether all words, in lower case, are in the names of a suite, its owner or its reason. */
const hasWords = (
  words: readonly string[],
  { state, attention }: Ranked,
  stored: StoredSettings | undefined,
): boolean => {
  if (words.length === 0) return true
  const text = [
    state.project,
    state.suite,
    stored?.owner?.texts?.owner ?? '',
    attention.reason.code,
    reasonText(attention.reason),
  ]
    .join('\n')
    .toLowerCase()
  return words.every((word) => text.includes(word))
}

const EXAMPLE: Tuple = [0, 0, 0, 0, '', '']

const overviewSuite = (
  { state, q, attention, group }: Ranked,
  access: SetAccess,
  settings: SuiteSettings | null,
): z.infer<typeof OverviewSuite> => {
  const {
    project,
    suite,
    newest,
    facts,
    run_count,
    baseline_run_id,
    baseline_cases,
    baseline_passed,
    baseline_interval,
  } = state
  const { change, previous } = facts
  return {
    project,
    suite,
    group,
    attention: group === 'attention',
    reason: attention.reason,
    reason_text: reasonText(attention.reason),
    newest_run: overviewRun(newest),
    previous_run: previous && {
      id: previous.run_id,
      created_at: rfc3339(previous.created_at),
      pass_rate: runPassRate(previous),
    },
    worse: change?.worse ?? null,
    better: change?.better ?? null,
    lost: change?.lost ?? null,
    regained: change?.regained ?? null,
    p: change?.p ?? null,
    q,
    assumes_independence: change?.has_trials ?? false,
    flaky_count: facts.flaky,
    like_run_count: facts.like_run_count,
    run_count,
    usual_gap_ms: facts.usual_gap_ms,
    pass_rates: [...facts.pass_rates],
    baseline:
      baseline_run_id === null
        ? null
        : {
            run_id: baseline_run_id,
            pass_rate:
              baseline_cases === null || baseline_passed === null
                ? null
                : runPassRate({
                    case_count: baseline_cases,
                    pass_count: baseline_passed,
                    pass_interval: baseline_interval,
                  }),
          },
    restricted: access.isRestricted(project, suite),
    settings,
  }
}

const costs = ({ runs, cost_micro, grader_cost_micro, runs_without_cost }: Total) => ({
  runs,
  cost_usd: usd(cost_micro),
  grader_cost_usd: usd(grader_cost_micro),
  runs_without_cost,
})

/** Runs and costs of each of the days that end with the newest one. */
const activityOf = (days: readonly Day[], newest: number | null): Overview['activity'] => {
  const total = noRuns()
  if (newest === null) return { days: [], ...costs(total) }
  const first = firstOfDays(newest) / DAY_MS
  const totals = Array.from({ length: ACTIVITY_DAYS }, noRuns)
  for (const day of days) {
    const ofDay = totals[day.day - first]
    if (ofDay) add(ofDay, day)
  }
  for (const ofDay of totals) add(total, ofDay)
  return {
    days: totals.map((ofDay, i) => ({
      date: new Date((first + i) * DAY_MS).toISOString().slice(0, 10),
      ...costs(ofDay),
    })),
    ...costs(total),
  }
}

export type OverviewInput = {
  /** The number of suites of each project that the viewer may see. */
  readonly projects: ReadonlyMap<string, number>
  /** Runs without a project; none if only some projects are asked for. */
  readonly latest: readonly RunHead[]
  readonly days: readonly Day[]
  readonly access: SetAccess
  /** Of the suites that the viewer may see and of which something is set, by `suiteKey`. */
  readonly settings: ReadonlyMap<string, StoredSettings>
  readonly now: number
  /** Of all sets that the viewer may see and asks for. */
  readonly ranking: Ranking
}
export type OverviewQuery = {
  readonly attention?: boolean | undefined
  /** Only archived suites; they are left out otherwise. */
  readonly archived?: boolean | undefined
  /** Words that are all in the names, the owner or the reason of a suite. */
  readonly q?: string | undefined
  readonly owner?: string | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

/** The overview without the titles of its latest runs. */
type Untitled = Omit<Overview, 'latest_runs'> & { readonly latest_runs: ReadonlyArray<z.infer<typeof OverviewRun>> }

/** The overview with the titles of its latest runs, by the id of the run. */
export const withTitles = (overview: Untitled, titles: ReadonlyMap<string, string>): Overview => ({
  ...overview,
  latest_runs: overview.latest_runs.map((run) => ({ ...run, title: titles.get(run.id) ?? null })),
})

/** A page of the overview. Everything but `suites` is about all suites that are asked for. */
export const overviewOf = (
  { projects, latest, days, access, settings, now, ranking: ofFacts }: OverviewInput,
  { attention, archived = false, q, owner, limit, cursor }: OverviewQuery,
): Untitled => {
  const ranking = withSettings(ofFacts, settings, now)
  const words =
    q
      ?.toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '') ?? []
  const asked = ranking.ranked.filter((each) => {
    const stored = settings.get(suiteKey(each.state))
    return (
      (each.group === 'archived') === archived &&
      (attention === undefined || (each.group === 'attention') === attention) &&
      (owner === undefined || stored?.owner?.texts?.owner === owner) &&
      hasWords(words, each, stored)
    )
  })
  const after = parseTupleCursor(cursor, EXAMPLE)
  const rest = after ? asked.filter(({ tuple }) => compareTuples(tuple, after) > 0) : asked
  const newest = newestRuns([ranking.latest, latest])
  const { rows, next_cursor } = page(rest, limit, ({ tuple }) => tupleCursorText(tuple))
  return {
    suites: rows.map((each) => {
      const stored = settings.get(suiteKey(each.state))
      return overviewSuite(each, access, stored ? settingsView(stored, now) : null)
    }),
    next_cursor,
    counts: ranking.counts,
    projects: [...projects].map(([project, suite_count]) => ({ project, suite_count })).sort(byProject),
    activity: activityOf([...ranking.days, ...days], newest[0]?.created_at ?? null),
    latest_runs: newest.map(overviewRun),
  }
}

const byProject = (a: { readonly project: string }, b: { readonly project: string }): number =>
  compareTuples([a.project], [b.project])
