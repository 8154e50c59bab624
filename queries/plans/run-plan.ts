import { z } from 'zod'
import type { RunRow } from '../../domain/run/run-columns.ts'
import { rate, rfc3339 } from '../../domain/wire.ts'
import { sql } from '../../storage/sql.ts'
import { ATTEMPTS, COMPARATORS } from './plans.ts'

/** The plan that a run follows, as the run shows it. */
export const RunPlan = z
  .object({
    id: z.string(),
    registered_at: z.string(),
    /** The number of this run among all that ever followed the plan, deleted ones included. */
    attempt: z.number().int(),
    attempts: z.number().int(),
    /** `late`: by its own document, the run started before the plan was registered. */
    state: z.enum(['before', 'late']),
    /** Whether the pass rate reaches the threshold; null if the plan has none. */
    met: z.boolean().nullable(),
    /** Whether the run has the planned number of cases; null if the plan has none. */
    complete: z.boolean().nullable(),
  })
  .meta({ id: 'RunPlan' })
export type RunPlan = z.infer<typeof RunPlan>

/** The columns of a run's plan; null for a run without one. */
export const PlanRow = z.object({
  plan_id: z.string().nullable(),
  registered_at: z.number().nullable(),
  /** The start of the run. */
  started_at: z.number(),
  attempt: z.number().nullable(),
  attempts: z.number(),
  comparator: z.enum(COMPARATORS).nullable(),
  threshold: z.number().nullable(),
  planned_count: z.number().nullable(),
})
/** The same columns as SQL, for rows of `runs` with `PLAN_JOIN`. */
export const PLAN_COLUMNS = sql.fragment`
  plans.plan_id, plans.registered_at, runs.started_at, plan_runs.attempt, ${ATTEMPTS}, plans.comparator, plans.threshold, plans.case_count AS planned_count`

/** Joins the plan of each row of `runs`. */
export const PLAN_JOIN = sql.fragment`
  LEFT JOIN plan_runs ON plan_runs.run_no = runs.run_no LEFT JOIN plans ON plans.plan_id = plan_runs.plan_id`

type Counts = Pick<RunRow, 'pass_count' | 'case_count'>

/** The plan that a run follows, or null. */
export const runPlanOf = (row: z.infer<typeof PlanRow> & Counts): RunPlan | null => {
  const { plan_id, registered_at, started_at, attempt, attempts, comparator, threshold, planned_count } = row
  if (plan_id === null || registered_at === null || attempt === null) return null
  const passRate = rate(row.pass_count, row.case_count)
  return {
    id: plan_id,
    registered_at: rfc3339(registered_at),
    attempt,
    attempts,
    state: started_at < registered_at ? 'late' : 'before',
    met:
      comparator === null || threshold === null
        ? null
        : comparator === '>='
          ? passRate >= threshold
          : passRate > threshold,
    complete: planned_count === null ? null : row.case_count === planned_count,
  }
}
