import { z } from 'zod'
import { any, maybeOne, sql } from '../storage/sql.ts'
import type { Reader } from '../storage/storage.ts'
import { parseIndexCursor } from './cases.ts'
import { findRun } from './runs.ts'
import type { Viewer } from './viewer.ts'
import { page } from './wire.ts'

const count = z.number().int()

export const MatrixCell = z
  .object({
    total: count,
    passed: count,
    failed: count,
    errored: count,
    skipped: count,
    xfailed: count,
    xpassed: count,
    score_mean: z.number().nullable(),
    pass_fraction: z.number(),
    distinct_outputs: count,
    latency_ms_mean: z.number().nullable(),
    cost_usd: z.number().nullable(),
    fallback_answered: count,
    case_keys: z.array(z.string()),
  })
  .meta({ id: 'MatrixCell' })

/** The prompt by provider matrix of one run. */
export const Matrix = z
  .object({
    run_id: z.string(),
    columns: z.array(z.object({ provider_id: z.string(), prompt_id: z.string().nullable() })),
    rows: z.array(z.object({ test_id: z.string(), name: z.string().nullable(), cells: z.array(MatrixCell.nullable()) })),
    provider_costs: z.array(z.object({ provider_id: z.string(), cases: count, cost_usd: z.number().nullable() })),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'Matrix' })

const Head = z.object({ columns: z.string(), provider_costs: z.string() })
const Row = z.object({ n: z.number(), body: z.string() })

/** A row as it is stored names the cells that have cases, by their column. */
type StoredRow = { readonly test_id: string; readonly name: string | null; readonly cells: ReadonlyArray<readonly [column: number, cell: unknown]> }

const rowText = (body: string, columns: number): string => {
  const { test_id, name, cells: found } = JSON.parse(body) as StoredRow
  const cells = new Array<unknown>(columns).fill(null)
  for (const [column, cell] of found) cells[column] = cell
  return JSON.stringify({ test_id, name, cells })
}

/** The matrix as JSON text; null for an unknown or hidden run. */
export const findMatrix = async (reader: Reader, viewer: Viewer, run_id: string, { limit, cursor }: { limit: number; cursor?: string | undefined }): Promise<string | null> => {
  const run = await reader.read(findRun(viewer, run_id))
  if (!run) return null
  const after = parseIndexCursor(cursor) ?? -1
  const { head, rows } = await reader.readAll({
    head: maybeOne(sql.type(Head)`SELECT columns, provider_costs FROM matrices WHERE run_no = ${run.run_no}`),
    rows: any(sql.type(Row)`SELECT n, body FROM matrix_rows WHERE run_no = ${run.run_no} AND n > ${after} ORDER BY n LIMIT ${limit + 1}`),
  })
  // Deleted between the two reads.
  if (!head) return null
  const { rows: shown, next_cursor } = page(rows, limit, ({ n }) => String(n))
  const columns = (JSON.parse(head.columns) as unknown[]).length
  return `{"run_id":${JSON.stringify(run.id)},"columns":${head.columns},"rows":[${shown.map(({ body }) => rowText(body, columns)).join(',')}],"provider_costs":${head.provider_costs},"next_cursor":${JSON.stringify(next_cursor)}}`
}
