import { z } from 'zod'
import { RunRow } from '../../domain/run/run-columns.ts'
import type { Column } from '../../domain/lists/column.ts'
import { passInterval } from '../../domain/statistics/pairing.ts'
import { runPassRate } from '../../domain/statistics/statistics.ts'
import { addCounts } from '../../domain/statistics/totals.ts'
import { orNull, rfc3339, usd } from '../../domain/wire.ts'
import { maybeOne, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { columnList } from '../columns.ts'
import { listModels, type OutcomeRow } from './outcomes.ts'

const count = z.number().int()
const text = z.string().nullable()
const money = z.number().nullable()

export const PassRate = z.object({
  passed: count,
  total: count,
  rate: z.number(),
  lower: z.number(),
  upper: z.number(),
})

/** The cost of a run: what the systems cost, and what grading cost. The two are never added. */
const RunCost = z.object({
  systems_usd: money,
  /** Cases that ran and recorded no cost. */
  missing: count,
  grading_usd: money,
})

/** A column of a run. `prompt_id`: null without a prompt, and absent if all prompts are compared. */
export const ComparedColumn = z.object({ provider_id: z.string(), prompt_id: text.optional() })

/**
 * A run, or a column of it, as a comparison names it. The pass rate is of all its cases, as uploaded; its
 * interval is over tests where they have several trials. What grading cost is
 * only known of whole runs.
 */
export const ComparedRunView = z.object({
  id: z.string(),
  project: text,
  suite: text,
  /** The column that is compared; null if it is the whole run. */
  column: ComparedColumn.nullable(),
  note: text,
  created_at: z.string(),
  case_count: count,
  pass_rate: PassRate,
  providers: z.array(z.string()),
  prompts: z.array(z.string()),
  models: z.array(z.string()),
  cost: RunCost,
  /** The plan that the run follows. */
  plan_id: text,
})

const StoredSide = RunRow.pick({
  run_no: true,
  id: true,
  project: true,
  suite: true,
  note: true,
  created_at: true,
  case_count: true,
  pass_count: true,
  pass_interval: true,
  stored_cases: true,
  cost_micro: true,
  grader_cost_micro: true,
  document_sha256: true,
})
const SideRow = StoredSide.extend({ plan_id: text })
export type SideRow = z.infer<typeof SideRow>
const COLUMNS = columnList('runs', StoredSide)

/** A visible run as a side of a comparison, or null. */
export const findSide = (viewer: Viewer, run_id: string): Query<SideRow | null> =>
  maybeOne(sql.type(SideRow)`
    SELECT ${COLUMNS}, (SELECT plan_runs.plan_id FROM plan_runs WHERE plan_runs.run_no = runs.run_no) AS plan_id
    FROM runs WHERE id = ${run_id} AND ${visible(viewer, 'runs')}`)

/** Maximum number of names of one kind in a response. */
const MAX_NAMES = 50

const distinctNames = (values: readonly (string | null)[]): string[] =>
  [...new Set(values)].flatMap((value) => (value === null || value === '' ? [] : [value])).slice(0, MAX_NAMES)

/** The names of the models, from the first case of each provider. */
const findModels = async (reader: Reader, run_no: number, outcomes: readonly OutcomeRow[]): Promise<string[]> => {
  const firsts = new Map<string | null, number>()
  for (const { provider_id, status, n } of outcomes)
    if (status !== 'skip' && firsts.size < MAX_NAMES && !firsts.has(provider_id)) firsts.set(provider_id, n)
  return distinctNames((await reader.read(listModels(run_no, [...firsts.values()]))).map(({ model }) => model))
}

const sideCost = (
  { cost_micro, grader_cost_micro }: Pick<SideRow, 'cost_micro' | 'grader_cost_micro'>,
  outcomes: readonly OutcomeRow[],
) => {
  let [missing, sum]: [number, number | null] = [0, null]
  for (const { status, cost_micro: cost } of outcomes)
    if (status === 'skip') continue
    else if (cost === null) missing++
    else sum = addCounts(sum ?? 0, cost)
  return { systems_usd: usd(sum ?? cost_micro), missing, grading_usd: usd(grader_cost_micro) }
}

export const viewOfSide = async (
  reader: Reader,
  side: SideRow,
  outcomes: readonly OutcomeRow[],
  column?: Column,
): Promise<z.infer<typeof ComparedRunView>> => ({
  id: side.id,
  project: side.project,
  suite: side.suite,
  column: column ?? null,
  note: orNull(side.note),
  created_at: rfc3339(side.created_at),
  case_count: column ? outcomes.length : side.case_count,
  pass_rate: runPassRate(
    column
      ? {
          pass_count: outcomes.filter(({ status }) => status === 'pass').length,
          case_count: outcomes.length,
          pass_interval: passInterval(outcomes),
        }
      : side,
  ),
  providers: distinctNames(outcomes.map(({ provider_id }) => provider_id)),
  prompts: distinctNames(outcomes.map(({ prompt_id }) => prompt_id)),
  models: await findModels(reader, side.run_no, outcomes),
  cost: sideCost(column ? { cost_micro: null, grader_cost_micro: null } : side, outcomes),
  plan_id: side.plan_id,
})
