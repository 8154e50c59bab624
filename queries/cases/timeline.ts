import { z } from 'zod'
import { caseColumns, CaseRow } from '../../domain/run/case-columns.ts'
import { RunRow } from '../../domain/run/run-columns.ts'
import { historyKey } from '../../domain/run/history-key.ts'
import { isPassing, MARKS } from '../../domain/series/outline.ts'
import { countRun, newTally } from '../../domain/statistics/flakiness.ts'
import { orNull, page, rfc3339, usd } from '../../domain/wire.ts'
import { any, sql, type Fragment } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { columnList } from '../columns.ts'
import { parseRunCursor, runCursorText } from '../runs/run-list.ts'
import { findBaseline, type Suite } from '../sets/baselines.ts'

const count = z.number().int()
const text = z.string().nullable()
const flag = z.boolean().nullable()

/** Maximum number of runs whose verdicts are counted. */
const MAX_COUNTED = 200

const Entry = z.object({
  run_id: z.string(),
  created_at: z.string(),
  note: text,
  status: caseColumns.status.stored,
  score: z.number().nullable(),
  latency_ms: count.nullable(),
  cost_usd: z.number().nullable(),
  prompt_tokens: count.nullable(),
  completion_tokens: count.nullable(),
  cached: flag,
  model: text,
  stop_reason: text,
  error: text,
  failed_asserts: z.array(z.object({ label: z.string(), kind: z.string(), score: z.number() })),
  output_hash: text,
  output_changed: flag,
  prompt_digest: text,
  prompt_changed: flag,
  provider_digest: text,
  provider_changed: flag,
  assert_digest: text,
  asserts_changed: flag,
  model_changed: flag,
  config_digest: text,
  config_changed: flag,
  git_branch: text,
  git_commit: text,
})

/** A case in the runs of its suite, newest first, with what changed since the run before. */
export const CaseTimeline = z
  .object({
    project: z.string(),
    suite: z.string(),
    case_key: z.string(),
    name: text,
    test_id: text,
    provider_id: text,
    prompt_id: text,
    repeat: count.nullable(),
    baseline_run_id: text,
    /** Over the newest runs of the case, whatever the page. */
    counted: z.object({ runs: count, verdicts: count, passed: count, flips: count }),
    runs: z.array(Entry),
    next_cursor: text,
  })
  .meta({ id: 'CaseTimeline' })
export type CaseTimeline = z.infer<typeof CaseTimeline>

const CASE_COLUMNS = CaseRow.pick({
  name: true,
  test_id: true,
  provider_id: true,
  prompt_id: true,
  repeat: true,
  created_at: true,
  status: true,
  score: true,
  latency_ms: true,
  cost_micro: true,
  prompt_tokens: true,
  completion_tokens: true,
  cached: true,
  model: true,
  answered_by_provider_id: true,
  stop_reason: true,
  error: true,
  asserts: true,
  output_hash: true,
  prompt_digest: true,
  provider_digest: true,
  assert_digest: true,
})
const RUN_COLUMNS = RunRow.pick({ id: true, note: true, config_digest: true, git_branch: true, git_commit: true })
const Row = CASE_COLUMNS.extend(RUN_COLUMNS.shape)
type Row = z.infer<typeof Row>

type Address = Suite & { readonly case_key: string }

const ofCase = (viewer: Viewer, { project, suite, case_key }: Address): Fragment => sql.fragment`
  FROM cases JOIN runs ON runs.run_no = cases.run_no
  WHERE cases.history_key = ${historyKey(project, suite, case_key)} AND cases.case_key = ${case_key}
    AND runs.project = ${project} AND runs.suite = ${suite} AND ${visible(viewer, 'runs')}`

const listEntries = (
  viewer: Viewer,
  address: Address,
  after: ReturnType<typeof parseRunCursor>,
  limit: number,
): Query<Row[]> => {
  const older = after
    ? sql.fragment`(cases.created_at < ${after.created_at} OR (cases.created_at = ${after.created_at} AND runs.id < ${after.id}))`
    : sql.fragment`TRUE`
  return any(sql.type(Row)`
    SELECT ${columnList('cases', CASE_COLUMNS)}, ${columnList('runs', RUN_COLUMNS)} ${ofCase(viewer, address)} AND ${older}
    ORDER BY cases.created_at DESC, runs.id DESC
    LIMIT ${limit}`)
}

const Verdict = CaseRow.pick({ status: true })

const listVerdicts = (viewer: Viewer, address: Address): Query<Array<z.infer<typeof Verdict>>> =>
  any(sql.type(Verdict)`
    SELECT cases.status ${ofCase(viewer, address)} ORDER BY cases.created_at DESC, runs.id DESC LIMIT ${MAX_COUNTED}`)

const countVerdicts = (verdicts: ReadonlyArray<z.infer<typeof Verdict>>): CaseTimeline['counted'] => {
  const tally = newTally()
  for (const { status } of verdicts) {
    const isPass = isPassing(MARKS[status])
    if (isPass !== null) countRun(tally, isPass ? 1 : 0, isPass ? 0 : 1)
  }
  return { runs: verdicts.length, verdicts: tally.points, passed: tally.passed, flips: tally.flips }
}

/** A page of the runs of a case; null if no visible run of the suite has it. */
export const findTimeline = async (
  reader: Reader,
  viewer: Viewer,
  address: Address,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<CaseTimeline | null> => {
  const { entries, newest, verdicts, baseline } = await reader.readAll({
    entries: listEntries(viewer, address, parseRunCursor(cursor), limit + 1),
    newest: listEntries(viewer, address, null, 1),
    verdicts: listVerdicts(viewer, address),
    baseline: findBaseline(viewer, address),
  })
  const [identity] = newest
  if (!identity) return null
  const { rows, next_cursor } = page(entries, limit, (last) => runCursorText(last))
  return {
    ...address,
    name: identity.name,
    test_id: identity.test_id,
    provider_id: identity.provider_id,
    prompt_id: identity.prompt_id,
    repeat: identity.repeat,
    baseline_run_id: baseline?.run_id ?? null,
    counted: countVerdicts(verdicts),
    runs: rows.map((row, i) => entry(row, entries[i + 1])),
    next_cursor,
  }
}

/** Whether a value differs from the older one; null if either is unknown or there is no older run. */
const isChanged = (value: string | null, older: string | null | undefined): boolean | null =>
  orNull(value) === null || older === undefined || orNull(older) === null ? null : value !== older

const entry = (row: Row, older: Row | undefined): z.infer<typeof Entry> => ({
  run_id: row.id,
  created_at: rfc3339(row.created_at),
  note: row.note,
  status: row.status,
  score: row.score,
  // Imported results have 0 where no latency was recorded.
  latency_ms: row.latency_ms === 0 ? null : row.latency_ms,
  cost_usd: usd(row.cost_micro),
  prompt_tokens: row.prompt_tokens,
  completion_tokens: row.completion_tokens,
  cached: row.cached,
  model: answeringModel(row),
  stop_reason: row.stop_reason,
  error: row.error,
  failed_asserts: row.asserts.filter(({ passed }) => !passed).map(({ label, kind, score }) => ({ label, kind, score })),
  output_hash: row.output_hash?.toString('hex') ?? null,
  output_changed: row.output_hash && older?.output_hash ? !row.output_hash.equals(older.output_hash) : null,
  prompt_digest: orNull(row.prompt_digest),
  prompt_changed: isChanged(row.prompt_digest, older?.prompt_digest),
  provider_digest: orNull(row.provider_digest),
  provider_changed: isChanged(row.provider_digest, older?.provider_digest),
  assert_digest: orNull(row.assert_digest),
  asserts_changed: isChanged(row.assert_digest, older?.assert_digest),
  model_changed: isChanged(answeringModel(row), older && answeringModel(older)),
  config_digest: orNull(row.config_digest),
  config_changed: isChanged(row.config_digest, older?.config_digest),
  git_branch: orNull(row.git_branch),
  git_commit: orNull(row.git_commit),
})

/** The model that the provider reported, else the provider that answered in place of the case's own. */
const answeringModel = ({ model, answered_by_provider_id }: Row): string | null =>
  orNull(model ?? answered_by_provider_id)
