import { z } from 'zod'
import { runColumns, RunRow } from '../../domain/run/columns.ts'
import { sql } from '../../storage/sql.ts'
import type { Fragment } from '../../storage/sql.ts'
import { columnsOf, pickerOf } from '../columns.ts'
import { rfc3339, usd } from '../../domain/wire.ts'

// The fields that the run list and the run detail share, in the order of both responses. Instants and money are
// converted for a response, so their fields are declared again here.

/** The columns that both read. */
export const SharedRow = z.object({
  ...runColumns.outcome,
  ...runColumns.tokens,
  cost_micro: RunRow.shape.cost_micro,
  ...runColumns.calls,
  ...runColumns.origin,
})
type SharedRow = z.infer<typeof SharedRow>

/** `uploaded_by` as SQL: the current label of the uploader. */
export const UPLOADER: Fragment = sql.fragment`(SELECT label FROM principals WHERE principals.id = runs.uploaded_by) AS uploaded_by`

/** The same columns as SQL. */
export const SHARED: Fragment = sql.fragment`${columnsOf('runs', SharedRow.omit({ uploaded_by: true }))}, ${UPLOADER}`

export const outcomeFields = { ...runColumns.outcome, created_at: z.string() }
export const usageFields = { ...runColumns.tokens, cost_usd: z.number().nullable(), ...runColumns.calls }
export const originFields = runColumns.origin

const pickOutcome = pickerOf(runColumns.outcome)
const pickTokens = pickerOf(runColumns.tokens)
const pickCalls = pickerOf(runColumns.calls)

export const outcome = (row: SharedRow) => ({ ...pickOutcome(row), created_at: rfc3339(row.created_at) })
export const usage = (row: SharedRow) => ({ ...pickTokens(row), cost_usd: usd(row.cost_micro), ...pickCalls(row) })
export const origin = pickerOf(runColumns.origin)
