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
    SELECT id, prompt_tokens, completion_tokens, cost_micro, duration_ms, case_count, pass_count, config_digest, digests
    FROM runs WHERE id = ${run_id} AND ${visible(viewer, 'runs')}`)

const listCompared = (viewer: Viewer, run_id: string): Query<Array<z.infer<typeof Case>>> =>
  any(sql.type(Case)`
    SELECT cases.case_key, cases.name, cases.status, cases.score, cases.output_hash, cases.asserts, cases.prompt_digest, cases.provider_digest, cases.assert_digest
    FROM runs JOIN cases ON cases.run_no = runs.run_no
    WHERE runs.id = ${run_id} AND ${visible(viewer, 'runs')} ORDER BY cases.n`)

/** Compares a head run with a base run; null where either is unknown or hidden. Reads every case of both: for a reader thread. */
export const findComparison = async (reader: Reader, viewer: Viewer, base_id: string, head_id: string): Promise<Comparison | null> => {
  const { base, head, baseCases, headCases } = await reader.readAll({
    base: findSide(viewer, base_id),
    head: findSide(viewer, head_id),
    baseCases: listCompared(viewer, base_id),
    headCases: listCompared(viewer, head_id),
  })
  return base && head && compareRuns(compared(base, baseCases), compared(head, headCases))
}

const compared = ({ cost_micro, config_digest, ...side }: z.infer<typeof Side>, rows: ReadonlyArray<z.infer<typeof Case>>) => ({
  ...side,
  cost_usd: usd(cost_micro),
  config_digest: orNull(config_digest),
  cases: rows.map((row) => ({ ...row, output_hash: row.output_hash?.toString('hex') ?? null })),
})
