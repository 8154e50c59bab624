import { z } from 'zod'
import { runColumns, RunRow } from '../../domain/run/columns.ts'
import { mapped, maybeOne, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { columnsOf, pickerOf } from '../columns.ts'
import { orNull, rate, rfc3339, usd } from '../../domain/wire.ts'
import { ATTEMPTS, COMPARATORS } from '../plans/plans.ts'
import { origin, outcome, SHARED, SharedRow, usage } from './run-fields.ts'
import { RunListItem } from './run-list.ts'

/** The plan that a run follows, as the run shows it. */
const RunPlan = z
  .object({
    id: z.string(),
    registered_at: z.string(),
    /** The number of this run among all that ever followed the plan, deleted ones included. */
    attempt: z.number().int(),
    attempts: z.number().int(),
    /** `late`: the document says that the run started before the plan was registered. */
    state: z.enum(['before', 'late']),
    /** Whether the pass rate reaches the threshold; null if the plan has none. */
    met: z.boolean().nullable(),
    /** Whether the run has the planned number of cases; null if the plan has none. */
    complete: z.boolean().nullable(),
  })
  .meta({ id: 'RunPlan' })
type RunPlan = z.infer<typeof RunPlan>

/**
 * A run in full: the fields of the list except `pass_rate` and `empty_count`, and the fields that only the detail has.
 */
export const RunDetail = RunListItem.omit({ pass_rate: true, empty_count: true })
  .extend({
    ...runColumns.detail,
    uploaded_at: z.string(),
    cache_savings_usd: z.number().nullable(),
    grader_cost_usd: z.number().nullable(),
    assert_labels: RunRow.shape.assert_labels,
    empty_counts: RunRow.shape.empty_counts.unwrap().optional(),
    plan: RunPlan.nullable(),
  })
  .meta({ id: 'RunDetail' })
export type RunDetail = z.infer<typeof RunDetail>

const pickDetail = pickerOf(runColumns.detail)

const DetailRow = z.object({
  ...runColumns.detail,
  ...RunRow.pick({ cache_savings_micro: true, grader_cost_micro: true, assert_labels: true, empty_counts: true }).shape,
})
const DETAIL = columnsOf('runs', DetailRow)

const PlanRow = z.object({
  plan_id: z.string().nullable(),
  registered_at: z.number().nullable(),
  attempt: z.number().nullable(),
  attempts: z.number(),
  comparator: z.enum(COMPARATORS).nullable(),
  threshold: z.number().nullable(),
  planned_count: z.number().nullable(),
})
const PLAN = sql.fragment`
  plans.plan_id, plans.registered_at, plan_runs.attempt, ${ATTEMPTS}, plans.comparator, plans.threshold, plans.case_count AS planned_count`

type Counts = Pick<RunRow, 'created_at' | 'duration_ms' | 'pass_count' | 'case_count'>

const planOf = (row: z.infer<typeof PlanRow> & Counts): RunPlan | null => {
  const { plan_id, registered_at, attempt, attempts, comparator, threshold, planned_count } = row
  if (plan_id === null || registered_at === null || attempt === null) return null
  const passRate = rate(row.pass_count, row.case_count)
  return {
    id: plan_id,
    registered_at: rfc3339(registered_at),
    attempt,
    attempts,
    // `created_at` is the end of a run.
    state: row.created_at - row.duration_ms < registered_at ? 'late' : 'before',
    met:
      comparator === null || threshold === null
        ? null
        : comparator === '>='
          ? passRate >= threshold
          : passRate > threshold,
    complete: planned_count === null ? null : row.case_count === planned_count,
  }
}

/** One run in full, or null. */
export const findRunDetail = (viewer: Viewer, id: string): Query<RunDetail | null> =>
  mapped(
    maybeOne(sql.type(SharedRow.extend(DetailRow.shape).extend(PlanRow.shape))`
      SELECT ${SHARED}, ${DETAIL}, ${PLAN}
      FROM runs LEFT JOIN plan_runs ON plan_runs.run_no = runs.run_no LEFT JOIN plans ON plans.plan_id = plan_runs.plan_id
      WHERE runs.id = ${id} AND ${visible(viewer, 'runs')}`),
    (row) =>
      row && {
        ...outcome(row),
        ...usage(row),
        ...origin(row),
        ...pickDetail(row),
        uploaded_at: rfc3339(row.uploaded_at),
        config_digest: orNull(row.config_digest),
        cache_savings_usd: usd(row.cache_savings_micro),
        grader_cost_usd: usd(row.grader_cost_micro),
        assert_labels: row.assert_labels,
        ...(row.empty_counts && Object.keys(row.empty_counts).length > 0 ? { empty_counts: row.empty_counts } : {}),
        plan: planOf(row),
      },
  )
