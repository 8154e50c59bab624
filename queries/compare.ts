import { z } from 'zod'
import { compareRuns } from '../engine/comparison.ts'
import type { Comparison } from '../engine/comparison.ts'
import { CASE_STATUSES } from '../engine/run-document.ts'
import { any, maybeOne, sql } from '../storage/sql.ts'
import type { Query, Reader } from '../storage/storage.ts'
import type { Viewer } from './viewer.ts'
import { visible } from './visible.ts'
import { orNull, usd } from './wire.ts'

const count = z.number().int()
const text = z.string().nullable()
const flag = z.boolean().nullable()
const status = z.enum(CASE_STATUSES).nullable()

const Flip = z.object({ kind: z.string(), base_passed: z.boolean(), head_passed: z.boolean(), base_score: z.number(), head_score: z.number() })
const PassRate = z.object({ passed: count, total: count, rate: z.number(), lower: z.number(), upper: z.number() })
const Totals = z.object({ prompt_tokens: count, completion_tokens: count, cost_usd: z.number().nullable(), duration_ms: count.nullable(), case_count: count, pass_count: count })

/** What changed between two runs, case by case, with statistics over both. */
export const RunComparison = z
  .object({
    base: z.string(),
    head: z.string(),
    summary: z.object({ newly_failing: count, newly_passing: count, still_failing: count, output_changed: count, added: count, removed: count }),
    cases: z.array(
      z.object({
        case_key: z.string(),
        name: text,
        base_status: status,
        head_status: status,
        delta: z.enum(['newly_failing', 'newly_passing', 'still_failing', 'still_passing', 'unchanged', 'added', 'removed']),
        output_changed: z.boolean(),
        base_score: z.number().nullable(),
        head_score: z.number().nullable(),
        score_delta: z.number().nullable(),
        assert_flips: z.array(Flip),
        change: z.enum(['prompt_changed', 'provider_changed', 'asserts_changed', 'grader_changed', 'unknown', 'model_drift', 'output_drift', 'unstable_grader', 'stable']),
      }),
    ),
    stats: z.object({
      mcnemar: z.object({ regressions: count, fixes: count, statistic: z.number(), significant: z.boolean(), p_value: z.number() }),
      base_pass_rate: PassRate,
      head_pass_rate: PassRate,
    }),
    totals: z.object({ base: Totals, head: Totals }),
    config: z.object({
      base_digest: text,
      head_digest: text,
      changed: flag,
      components: z.array(z.object({ component: z.enum(['prompts', 'providers', 'tests', 'asserts', 'grader']), base: text, head: text, changed: flag })),
    }),
  })
  .meta({ id: 'RunComparison' })

const Digests = z.object({ prompts: text, providers: text, tests: text, asserts: text, grader: text })

const Side = z.object({
  run_no: z.number(),
  id: z.string(),
  prompt_tokens: count,
  completion_tokens: count,
  cost_micro: count.nullable(),
  duration_ms: count.nullable(),
  case_count: count,
  pass_count: count,
  config_digest: text,
  digests: Digests,
})

const Case = z.object({
  case_key: z.string(),
  name: text,
  status: z.enum(CASE_STATUSES),
  score: z.number().nullable(),
  output_hash: z.instanceof(Buffer).nullable(),
  asserts: z.array(z.object({ label: z.string(), kind: z.string(), passed: z.boolean(), score: z.number() })),
  prompt_digest: text,
  provider_digest: text,
  assert_digest: text,
})

const findSide = (viewer: Viewer, run_id: string): Query<z.infer<typeof Side> | null> =>
  maybeOne(sql.type(Side)`
    SELECT run_no, id, prompt_tokens, completion_tokens, cost_micro, duration_ms, case_count, pass_count, config_digest, digests
    FROM runs WHERE id = ${run_id} AND ${visible(viewer, 'runs')}`)

const listCompared = (run_no: number): Query<Array<z.infer<typeof Case>>> =>
  any(sql.type(Case)`
    SELECT case_key, name, status, score, output_hash, asserts, prompt_digest, provider_digest, assert_digest
    FROM cases WHERE run_no = ${run_no} ORDER BY n`)

/** Compares a head run with a base run; null where either is unknown or hidden. Reads every case of both: for a reader thread. */
export const findComparison = async (reader: Reader, viewer: Viewer, base_id: string, head_id: string): Promise<Comparison | null> => {
  const { base, head } = await reader.readAll({ base: findSide(viewer, base_id), head: findSide(viewer, head_id) })
  if (!base || !head) return null
  const cases = await reader.readAll({ base: listCompared(base.run_no), head: listCompared(head.run_no) })
  return compareRuns(compared(base, cases.base), compared(head, cases.head))
}

const compared = ({ run_no: _, cost_micro, config_digest, ...side }: z.infer<typeof Side>, rows: ReadonlyArray<z.infer<typeof Case>>) => ({
  ...side,
  cost_usd: usd(cost_micro),
  config_digest: orNull(config_digest),
  cases: rows.map((row) => ({ ...row, output_hash: row.output_hash?.toString('hex') ?? null })),
})
