import { z } from 'zod'
import { runColumns, RunRow } from '../../domain/run/columns.ts'
import { mapped, maybeOne, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { columnsOf, pickerOf } from '../columns.ts'
import { orNull, rfc3339, usd } from '../../domain/wire.ts'
import { PLAN_COLUMNS, PLAN_JOIN, PlanRow, RunPlan, runPlanOf } from '../plans/run-plan.ts'
import { origin, outcome, SHARED, SharedRow, usage } from './run-fields.ts'
import { isHeld } from './holds.ts'
import { RunListItem } from './run-list.ts'

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
    hidden_cases: z
      .number()
      .int()
      .meta({ description: 'The number of cases that no list shows, because they have the key of another case' })
      .optional(),
    held: z.boolean(),
    plan: RunPlan.nullable(),
  })
  .meta({ id: 'RunDetail' })
export type RunDetail = z.infer<typeof RunDetail>

const pickDetail = pickerOf(runColumns.detail)

const DetailRow = z.object({
  ...runColumns.detail,
  ...RunRow.pick({
    cache_savings_micro: true,
    grader_cost_micro: true,
    assert_labels: true,
    empty_counts: true,
    hidden_cases: true,
  }).shape,
})
const DETAIL = columnsOf('runs', DetailRow)

/** One run in full, or null. */
export const findRunDetail = (viewer: Viewer, id: string): Query<RunDetail | null> =>
  mapped(
    maybeOne(sql.type(
      SharedRow.extend(DetailRow.shape).extend({ ...PlanRow.shape, held: z.union([z.boolean(), z.number()]) }),
    )`
      SELECT ${SHARED}, ${DETAIL}, ${PLAN_COLUMNS}, ${isHeld} AS held
      FROM runs ${PLAN_JOIN}
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
        ...(row.hidden_cases !== null && row.hidden_cases > 0 ? { hidden_cases: row.hidden_cases } : {}),
        // SQLite has no booleans in expressions.
        held: row.held === true || row.held === 1,
        plan: runPlanOf(row),
      },
  )
