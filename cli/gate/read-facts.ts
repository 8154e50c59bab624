import * as z from 'zod'
import { columnText, type Column } from '../../domain/lists/column.ts'
import type { ComparedFacts, GatedCalibration, GatedRunFacts, Measured } from '../../domain/gate/facts.ts'
import type { JudgeRule } from '../../domain/gate/rules.ts'
import { UsageError } from '../../engine/json.ts'
import { MAX_COMPARISON_BYTES, MAX_DOCUMENT_BYTES } from '../client/answer.ts'
import { readCalibration } from '../calibration/read-calibration.ts'
import { readFromService } from './read-from-service.ts'
import type { EngineServer } from '../client/engine-server.ts'
import { listPages, queryText } from '../client/pages.ts'

// What the gate reads of the answers of the service.
const number = z.number().nullable()
const Mean = z.object({ mean: z.number(), se: z.number(), df: z.number(), lower: z.number() })

const Run = z.object({
  id: z.string(),
  project: z.string().nullable(),
  suite: z.string().nullable(),
  git_branch: z.string().nullable(),
  error_count: z.number(),
})
export type Run = z.infer<typeof Run>

const Statistics = z.object({
  run: z.object({
    pass_rate: z.object({ passed: z.number(), total: z.number(), rate: z.number(), lower: z.number() }),
  }),
  scores: Mean.nullable(),
  clustered: z.object({ passes: Mean.nullable(), scores: Mean.nullable() }),
  trials: z.object({}).nullable(),
  errors: z.number().optional(),
})

const Pairs = z.object({
  pairs: z.number(),
  base_median: number,
  head_median: number,
  base_total: number,
  head_total: number,
  // A service of an earlier version has no ratios.
  ratio: z
    .object({ estimate: z.number(), lower: z.number(), upper: z.number(), pairs: z.number() })
    .nullable()
    .default(null),
  from_cache: z.number().default(0),
})
const Comparison = z.object({
  pairs: z.number(),
  worse: z.number(),
  better: z.number(),
  p_value: number,
  difference: z.object({ lower: z.number() }).nullable(),
  assumes_independence: z.boolean(),
  clustered: z.object({
    by: z.string(),
    passes: Mean.extend({ p_value: z.number(), groups: z.number(), few_groups: z.boolean() }).nullable(),
  }),
  scores: z.object({ head_mean: z.number() }).nullable(),
  cost_usd: Pairs,
  latency_ms: Pairs,
})

const path = (...parts: readonly string[]): string => parts.map((part) => `/${encodeURIComponent(part)}`).join('')

/** A run of the service. Throws `UsageError` if it is unknown there. */
export const readRun = async (server: EngineServer, id: string): Promise<Run> => {
  const run = await readFromService(server, Run, path('runs', id))
  if (run === null) throw new UsageError(`${server.client.url} has no run ${JSON.stringify(id)}`)
  return run
}

/** What the numbers are of. `clusterBy` groups cases that depend on each other; without it, trials of a test are a group. */
type Part = { readonly clusterBy?: string | undefined; readonly column?: Column | undefined }

const queryOf = (parameters: Parameters<typeof queryText>[0]): string => {
  const query = queryText(parameters)
  return query === '' ? '' : `?${query}`
}

/** The same column of both runs. */
const pairColumns = (column: Column | undefined) =>
  column && { base_column: columnText(column), head_column: columnText(column) }

const needed = <T>(found: T | null, what: string): T => {
  if (found === null) throw new UsageError(`${what} is not on the service any more`)
  return found
}

/** The numbers of a run, or of a column of it. */
export const readRunFacts = async (
  server: EngineServer,
  run: Run,
  { clusterBy, column }: Part,
  { scores: needsScores }: { readonly scores: boolean },
): Promise<GatedRunFacts> => {
  const found = await readFromService(
    server,
    Statistics,
    `${path('runs', run.id, 'statistics')}${queryOf({ cluster_by: clusterBy, column: column && columnText(column) })}`,
  )
  const { run: counts, scores, clustered, trials, errors } = needed(found, `the run ${run.id}`)
  const is_clustered = clusterBy !== undefined || trials !== null
  return {
    pass_rate: counts.pass_rate,
    // A service of an earlier version counts only those of the whole run, and knows no columns.
    errors: errors ?? run.error_count,
    score: needsScores
      ? scores === null
        ? await readOnlyScore(server, run, column)
        : { mean: scores.mean, lower: (is_clustered ? (clustered.scores ?? scores) : scores).lower }
      : null,
    clustered_pass_rate: clustered.passes,
    is_clustered,
  }
}

/** What people say of the judges that rules are about, by the metric that a rule names. */
export const readCalibrations = async (
  server: EngineServer,
  { id }: Run,
  rules: readonly JudgeRule[],
  clusterBy: string | undefined,
): Promise<ReadonlyMap<string | null, GatedCalibration>> => {
  const found = new Map<string | null, GatedCalibration>()
  for (const metric of new Set(rules.map((rule) => rule.metric))) {
    const { state, reasons, rate, judge, labels } = await readCalibration(server, id, {
      metric: metric ?? undefined,
      clusterBy,
    })
    found.set(metric, {
      state,
      reasons: reasons.map(({ text }) => text),
      rate: rate.reason === null ? rate : null,
      agreement: judge,
      labels: labels.total,
    })
  }
  return found
}

/** The mean score of a run with one scored test: it has no interval. A run is comparable with itself. */
const readOnlyScore = async (
  server: EngineServer,
  { id }: Run,
  column: Column | undefined,
): Promise<GatedRunFacts['score']> => {
  const address = `${path('runs', id, 'compare', id, 'statistics')}${queryOf({ ...pairColumns(column) })}`
  const itself = await readFromService(server, Comparison, address)
  const { scores } = needed(itself, `the run ${id}`)
  return scores === null ? null : { mean: scores.head_mean, lower: null }
}

const measured = (
  { pairs, base_median, base_total, head_median, head_total, ratio, from_cache }: z.infer<typeof Pairs>,
  figure: 'median' | 'total',
): Measured => ({
  pairs,
  ...(figure === 'median' ? { base: base_median, head: head_median } : { base: base_total, head: head_total }),
  ratio,
  from_cache,
})

/** The numbers of a run against its baseline; null if the baseline has no case in the column. */
export const readComparedFacts = async (
  server: EngineServer,
  base: Run,
  head: Run,
  { clusterBy, column }: Part,
  { newlyFailing }: { readonly newlyFailing: boolean },
): Promise<ComparedFacts | null> => {
  const address = `${path('runs', base.id, 'compare', head.id, 'statistics')}${queryOf({ cluster_by: clusterBy, ...pairColumns(column) })}`
  const answer = await readFromService(server, Comparison, address).catch((error: Error) => {
    // The run has the column: its own numbers were read before. A new model is not in the baseline yet.
    if (column && error instanceof UsageError && error.message.startsWith('base_column:')) return 'no column' as const
    throw error
  })
  if (answer === 'no column') return null
  const found = needed(answer, 'one of the runs')
  const { pairs, worse, better, p_value, difference, clustered } = found
  return {
    pairs,
    worse,
    better,
    p_value,
    lower: difference?.lower ?? null,
    clustered: clustered.passes,
    is_clustered: clusterBy !== undefined || found.assumes_independence,
    grouped_by: clustered.by,
    cost_usd: measured(found.cost_usd, 'total'),
    latency_ms: measured(found.latency_ms, 'median'),
    newly_failing: newlyFailing ? await readNewlyFailing(server, base, head, column) : null,
  }
}

const Rows = z.object({ cases: z.array(z.object({ case_key: z.string(), delta: z.string() })) })
const Worse = z.object({
  cases: z.array(z.object({ head: z.object({ case_key: z.string() }).nullable() })),
  next_cursor: z.string().nullable(),
})
const Unit = z.object({
  test_id: z.string().nullable(),
  provider_id: z.string().nullable(),
  prompt_id: z.string().nullable(),
})
const Flakiness = z.object({ cases: z.array(Unit.extend({ flaky: z.boolean() })) })
const Cases = z.object({
  cases: z.array(Unit.extend({ case_key: z.string() })),
  next_cursor: z.string().nullable(),
})

const unitOf = ({ test_id, provider_id, prompt_id }: z.infer<typeof Unit>): string =>
  JSON.stringify([test_id, provider_id, prompt_id])

/** The keys of the cases that pass in the base and fail in the head. */
const readWorse = async (server: EngineServer, base: Run, head: Run): Promise<ReadonlySet<string>> => {
  const address = path('runs', base.id, 'compare', head.id)
  const compared = needed(await readFromService(server, Rows, address, MAX_COMPARISON_BYTES), 'one of the runs')
  return new Set(compared.cases.filter(({ delta }) => delta === 'newly_failing').map(({ case_key }) => case_key))
}

/** The same for a column of both. */
const readWorseOf = async (
  server: EngineServer,
  base: Run,
  head: Run,
  column: Column,
): Promise<ReadonlySet<string>> => {
  const keys = new Set<string>()
  const read = async (cursor: string | undefined): Promise<z.infer<typeof Worse>> => {
    const query = queryText({ filter: 'worse', limit: 500, ...pairColumns(column), cursor })
    const address = `${path('runs', base.id, 'compare', head.id, 'cases')}?${query}`
    return needed(await readFromService(server, Worse, address, MAX_COMPARISON_BYTES), 'one of the runs')
  }
  for await (const { cases } of listPages(read)) for (const { head: item } of cases) if (item) keys.add(item.case_key)
  return keys
}

/**
 * The cases that pass in the base and fail in the head, and how many of them are flaky in the suite: on the branch of
 * the base, since a new branch has no history. Trials of a test flip together.
 */
const readNewlyFailing = async (
  server: EngineServer,
  base: Run,
  head: Run,
  column: Column | undefined,
): Promise<ComparedFacts['newly_failing']> => {
  const failing = await (column ? readWorseOf(server, base, head, column) : readWorse(server, base, head))
  if (failing.size === 0) return { cases: 0, flaky: 0 }
  const flaky = await readFlaky(server, base)
  if (flaky.size === 0) return { cases: failing.size, flaky: 0 }
  let found = 0
  for (const status of ['fail', 'error']) {
    const read = async (cursor: string | undefined): Promise<z.infer<typeof Cases>> => {
      const address = `${path('runs', head.id, 'cases')}?${queryText({ status, limit: 200, cursor })}`
      return (await readFromService(server, Cases, address)) ?? { cases: [], next_cursor: null }
    }
    for await (const page of listPages(read))
      for (const item of page.cases) if (failing.has(item.case_key) && flaky.has(unitOf(item))) found++
  }
  return { cases: failing.size, flaky: found }
}

const readFlaky = async (server: EngineServer, { project, suite, git_branch }: Run): Promise<ReadonlySet<string>> => {
  if (project === null || suite === null) return new Set()
  const query = queryOf({ branch: git_branch ?? undefined })
  const address = `${path('projects', project, 'suites', suite, 'flakiness')}${query}`
  const found = await readFromService(server, Flakiness, address)
  return new Set((found?.cases ?? []).filter(({ flaky }) => flaky).map(unitOf))
}

const Pinned = z.object({ suites: z.array(z.object({ suite: z.string(), baseline_run_id: z.string().nullable() })) })
const Previous = z.object({ previous: z.object({ id: z.string() }).nullable() })
const Listed = z.object({ runs: z.array(z.object({ id: z.string() })) })

/** The id of the run that a reference names for a run, or why there is none. */
export type Baseline = { readonly id: string } | { readonly absent: string }

/**
 * Finds what a run is compared with: `baseline` (pinned), `previous` (like it), `branch:NAME` (the newest other run of
 * its suite there), or the id of a run. Throws `UsageError` for an empty reference.
 */
export const findBaseline = async (server: EngineServer, run: Run, reference: string): Promise<Baseline> => {
  const { project, suite } = run
  const [, branch] = /^branch:(.+)$/s.exec(reference) ?? []
  if (reference === 'previous') {
    const found = await readFromService(server, Previous, path('runs', run.id, 'previous'))
    return found?.previous ?? { absent: 'no earlier run of the suite is like it' }
  }
  if (reference !== 'baseline' && branch === undefined) {
    if (reference === '' || reference === 'branch:')
      throw new UsageError('--against needs a run, baseline, previous, or branch:NAME')
    return { id: reference }
  }
  if (project === null || suite === null) return { absent: 'the run has no project or no suite' }
  if (branch === undefined) {
    const found = await readFromService(server, Pinned, path('projects', project, 'suites'), MAX_DOCUMENT_BYTES)
    const id = found?.suites.find((item) => item.suite === suite)?.baseline_run_id ?? null
    return id === null ? { absent: 'the suite has no pinned run' } : { id }
  }
  const query = new URLSearchParams({ project, suite, branch, limit: '2' })
  const found = await readFromService(server, Listed, `/runs?${query.toString()}`)
  const id = found?.runs.find((item) => item.id !== run.id)?.id
  return id === undefined ? { absent: `the suite has no other run on the branch ${branch}` } : { id }
}
