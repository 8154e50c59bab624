import { z } from 'zod'
import { readShape, shownFields, shownShape } from '../../domain/run/column.ts'
import { runColumns } from '../../domain/run/run-columns.ts'
import { mapped, maybeOne, sql } from '../../storage/sql.ts'
import type { Query } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { columnList } from '../columns.ts'
import { PLAN_COLUMNS, PLAN_JOIN, PlanRow, RunPlan, runPlanOf } from '../plans/run-plan.ts'
import { ADDED_COLUMNS, ADDED_JOIN, addedOf, AddedRow, RunAdded } from './annotations.ts'
import { isHeld } from './holds.ts'
import { UPLOADER } from './uploader.ts'

const shape = shownShape(runColumns, 'list', 'detail')
type Fields = z.infer<z.ZodObject<typeof shape>>

/** A run in full. */
export const RunDetail = z
  .object({ ...shape, held: z.boolean(), plan: RunPlan.nullable(), added: RunAdded.optional() })
  .meta({ id: 'RunDetail' })
export type RunDetail = z.infer<typeof RunDetail>

const StoredColumns = z.object(readShape(runColumns, 'list', 'detail'))
const COLUMNS = columnList('runs', StoredColumns.omit({ uploaded_by: true }))
const Row = StoredColumns.extend({ ...PlanRow.shape, ...AddedRow.shape, held: z.union([z.boolean(), z.number()]) })
const detailFields = shownFields(runColumns, 'list', 'detail')

/** One run in full, or null. */
export const findRunDetail = (viewer: Viewer, id: string): Query<RunDetail | null> =>
  mapped(
    maybeOne(sql.type(Row)`
      SELECT ${COLUMNS}, ${UPLOADER}, ${PLAN_COLUMNS}, ${isHeld} AS held, ${ADDED_COLUMNS}
      FROM runs ${PLAN_JOIN} ${ADDED_JOIN}
      WHERE runs.id = ${id} AND ${visible(viewer, 'runs')}`),
    (row) => {
      if (!row) return null
      const added = addedOf(row)
      return {
        // Safe: the schema is made of the same columns.
        ...(detailFields(row) as Fields),
        // SQLite has no booleans in expressions.
        held: row.held === true || row.held === 1,
        plan: runPlanOf(row),
        ...(added && { added }),
      }
    },
  )
