import { z } from 'zod'
import { readShape, shownFields, shownShape } from '../../domain/run/column.ts'
import { runColumns } from '../../domain/run/run-columns.ts'
import { mapped, maybeOne, perDialect, sql, type Fragment } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { ofVisibleRun } from '../access/visible.ts'
import { columnList } from '../columns.ts'
import { PLAN_COLUMNS, PLAN_JOIN, PlanRow, RunPlan, runPlanOf } from '../plans/run-plan.ts'
import { ADDED_COLUMNS, ADDED_JOIN, addedOf, AddedRow, RunAdded } from './annotations.ts'
import { EVIDENCE_COLUMNS, EvidenceCounts, evidenceOf, EvidenceCountsRow } from '../evidence/counts.ts'
import { JUDGED_COLUMNS, JudgeChange, JudgedRow, judgesOf, RunJudge, unlessBeingBuilt } from '../reviews/judges.ts'
import { isHeld } from './holds.ts'
import { UPLOADER } from './uploader.ts'

const shape = shownShape(runColumns, 'list', 'detail')
type Fields = z.infer<z.ZodObject<typeof shape>>

/** A run in full. */
export const RunDetail = z
  .object({
    ...shape,
    held: z.boolean(),
    plan: RunPlan.nullable(),
    added: RunAdded.optional(),
    evidence: EvidenceCounts.optional().meta({ description: 'Absent if there is none' }),
    judges: z.array(RunJudge).optional().meta({ description: 'Absent if nothing was judged' }),
    judge_changed: z
      .array(JudgeChange)
      .optional()
      .meta({ description: 'Metrics that another judge decided than in the like run before; absent if there is none' }),
  })
  .meta({ id: 'RunDetail' })
export type RunDetail = z.infer<typeof RunDetail>

const StoredColumns = z.object(readShape(runColumns, 'list', 'detail'))
const COLUMNS = columnList('runs', StoredColumns.omit({ uploaded_by: true }))
const Row = StoredColumns.extend({
  ...PlanRow.shape,
  ...AddedRow.shape,
  ...EvidenceCountsRow.shape,
  held: z.union([z.boolean(), z.number()]),
})
const detailFields = shownFields(runColumns, 'list', 'detail')

type DetailRow = z.infer<typeof Row>

const detailOf = (row: DetailRow): RunDetail => {
  const added = addedOf(row)
  const evidence = evidenceOf(row)
  return {
    // Safe: the schema is made of the same columns.
    ...(detailFields(row) as Fields),
    // SQLite has no booleans in expressions.
    held: row.held === true || row.held === 1,
    plan: runPlanOf(row),
    ...(added && { added }),
    ...(evidence && { evidence }),
  }
}

const DETAIL = sql.fragment`${COLUMNS}, ${UPLOADER}, ${PLAN_COLUMNS}, ${isHeld} AS held, ${ADDED_COLUMNS}, ${EVIDENCE_COLUMNS}`
const RUNS = sql.fragment`runs ${PLAN_JOIN} ${ADDED_JOIN}`

const detailToken = ofVisibleRun((condition) => sql.type(Row)`SELECT ${DETAIL} FROM ${RUNS} WHERE ${condition}`)

/** One run in full, without its judges, or null. */
export const findRunDetail = (viewer: Viewer, id: string): Query<RunDetail | null> =>
  mapped(maybeOne(detailToken(viewer, id)), (row) => row && detailOf(row))

/**
 * A run with its judges. `mayHaveChanged` is false if no run shortly before it in its suite had another judge: then it is not worth
 * a search for the like run before.
 */
export type JudgedRun = {
  readonly run: RunDetail
  readonly judges: readonly RunJudge[]
  readonly mayHaveChanged: boolean
}

const RowWithJudges = Row.extend(JudgedRow.shape)

const judgedToken = ofVisibleRun((condition) => {
  const token = (judged: Fragment) => sql.type(RowWithJudges)`
    SELECT ${DETAIL}, ${judged} FROM ${RUNS} WHERE ${condition}`
  return perDialect(token(JUDGED_COLUMNS.sqlite), token(JUDGED_COLUMNS.postgres))
})

const findJudgedRun = (viewer: Viewer, id: string): Query<JudgedRun | null> =>
  mapped(
    maybeOne(judgedToken(viewer, id)),
    (row) => row && { run: detailOf(row), judges: judgesOf(row), mayHaveChanged: row.others_near > 0 },
  )

/** One run in full with its judges, or null; without judges while they are being built. */
export const readJudgedRun = (reader: Reader, viewer: Viewer, id: string): Promise<JudgedRun | null> =>
  unlessBeingBuilt(reader.read(findJudgedRun(viewer, id)), async () => {
    const run = await reader.read(findRunDetail(viewer, id))
    return run && { run, judges: [], mayHaveChanged: false }
  })
