import { z } from 'zod'
import { historyKey } from '../../domain/run/history-key.ts'
import { any, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import { findBaseline } from '../sets/baselines.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { orNull, rfc3339, usd } from '../../domain/wire.ts'

const count = z.number().int().nullable()
const text = z.string().nullable()

const Point = z.object({
  run_id: z.string(),
  created_at: z.string(),
  status: z.string(),
  score: z.number().nullable(),
  output_hash: text,
  output_changed: z.boolean().nullable(),
  cached: z.boolean().nullable(),
  prompt_tokens: count,
  completion_tokens: count,
  cost_usd: z.number().nullable(),
  latency_ms: count,
  git_commit: text,
  config_digest: text,
})

/** One case across the newest runs of its suite. */
export const CaseHistory = z
  .object({
    project: z.string(),
    suite: z.string(),
    case_key: z.string(),
    baseline_run_id: text,
    points: z.array(Point),
  })
  .meta({ id: 'CaseHistory' })
export type CaseHistory = z.infer<typeof CaseHistory>

const Row = Point.omit({ created_at: true, output_changed: true, output_hash: true, cost_usd: true }).extend({
  created_at: z.number(),
  output_hash: z.instanceof(Buffer).nullable(),
  cost_micro: count,
})
type Row = z.infer<typeof Row>

type Address = { readonly project: string; readonly suite: string; readonly case_key: string }

const listPoints = (viewer: Viewer, { project, suite, case_key }: Address, limit: number): Query<Row[]> =>
  any(sql.type(Row)`
    SELECT runs.id AS run_id, cases.created_at, cases.status, cases.score, cases.output_hash, cases.cached,
      cases.prompt_tokens, cases.completion_tokens,
      cases.cost_micro, cases.latency_ms, runs.git_commit, runs.config_digest
    FROM cases JOIN runs ON runs.run_no = cases.run_no
    WHERE cases.history_key = ${historyKey(project, suite, case_key)} AND cases.case_key = ${case_key}
      AND runs.project = ${project} AND runs.suite = ${suite} AND ${visible(viewer, 'runs')}
    ORDER BY cases.created_at DESC, runs.id DESC
    LIMIT ${limit}`)

/** The newest points of a case, newest first; null if no visible run of the suite has it. */
export const findHistory = async (
  reader: Reader,
  viewer: Viewer,
  address: Address,
  limit: number,
): Promise<CaseHistory | null> => {
  const { rows, baseline } = await reader.readAll({
    rows: listPoints(viewer, address, limit),
    baseline: findBaseline(viewer, address),
  })
  if (rows.length === 0) return null
  return {
    ...address,
    baseline_run_id: baseline?.run_id ?? null,
    points: rows.map((row, i) => point(row, rows[i + 1])),
  }
}

const point = (row: Row, older: Row | undefined): z.infer<typeof Point> => ({
  run_id: row.run_id,
  created_at: rfc3339(row.created_at),
  status: row.status,
  score: row.score,
  output_hash: row.output_hash?.toString('hex') ?? null,
  output_changed: row.output_hash && older?.output_hash ? !row.output_hash.equals(older.output_hash) : null,
  cached: row.cached,
  prompt_tokens: row.prompt_tokens,
  completion_tokens: row.completion_tokens,
  cost_usd: usd(row.cost_micro),
  latency_ms: row.latency_ms,
  git_commit: orNull(row.git_commit),
  config_digest: orNull(row.config_digest),
})
