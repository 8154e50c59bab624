import { z } from 'zod'
import { any, mapped, maybeOne, sql } from '../storage/sql.ts'
import type { Query, Reader } from '../storage/storage.ts'
import { parseIndexCursor } from './cases.ts'
import type { Viewer } from './viewer.ts'
import { visible } from './visible.ts'
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

const Width = z.object({ column_count: z.number() })

/** Cells that one page may hold: a run of very many columns is answered in shorter pages. */
const MOST_CELLS = 100_000

/** Rows of a page, whatever was asked for. */
export const matrixLimit = (limit: number, columns: number): number => Math.max(1, Math.min(limit, Math.floor(MOST_CELLS / Math.max(1, columns))))

/** How many columns a run's matrix has; null for an unknown or hidden run. */
export const findMatrixWidth = (viewer: Viewer, run_id: string): Query<number | null> =>
  mapped(
    maybeOne(sql.type(Width)`
      SELECT matrices.column_count FROM runs JOIN matrices ON matrices.run_no = runs.run_no
      WHERE runs.id = ${run_id} AND ${visible(viewer, 'runs')}`),
    (row) => row?.column_count ?? null,
  )

const Head = z.object({ id: z.string(), column_count: z.number(), columns: z.string(), provider_costs: z.string() })
const Row = z.object({ n: z.number(), is_full: z.boolean(), body: z.string() })

/** A row with empty cells, as it is stored: it names the cells that have cases, by their column. */
type SparseRow = { readonly test_id: string; readonly name: string | null; readonly cells: ReadonlyArray<readonly [column: number, cell: unknown]> }

const rowText = ({ is_full, body }: z.infer<typeof Row>, columns: number): string => {
  if (is_full) return body
  const { test_id, name, cells: found } = JSON.parse(body) as SparseRow
  const cells = new Array<unknown>(columns).fill(null)
  for (const [column, cell] of found) cells[column] = cell
  return JSON.stringify({ test_id, name, cells })
}

/** The matrix as JSON text, put together from finished rows; null for an unknown or hidden run. */
export const findMatrix = async (reader: Reader, viewer: Viewer, run_id: string, asked: { limit: number; cursor?: string | undefined }): Promise<string | null> => {
  const width = await reader.read(findMatrixWidth(viewer, run_id))
  if (width === null) return null
  const limit = matrixLimit(asked.limit, width)
  const after = parseIndexCursor(asked.cursor) ?? -1
  const ofRun = sql.fragment`runs.id = ${run_id} AND ${visible(viewer, 'runs')}`
  const { head, rows } = await reader.readAll({
    head: maybeOne(sql.type(Head)`
      SELECT runs.id, matrices.column_count, matrices.columns, matrices.provider_costs
      FROM runs JOIN matrices ON matrices.run_no = runs.run_no WHERE ${ofRun}`),
    rows: any(sql.type(Row)`
      SELECT matrix_rows.n, matrix_rows.is_full, matrix_rows.body
      FROM runs JOIN matrix_rows ON matrix_rows.run_no = runs.run_no
      WHERE ${ofRun} AND matrix_rows.n > ${after} ORDER BY matrix_rows.n LIMIT ${limit + 1}`),
  })
  // Deleted since its width was asked for.
  if (!head) return null
  const { rows: shown, next_cursor } = page(rows, limit, ({ n }) => String(n))
  const texts = shown.map((row) => rowText(row, head.column_count))
  return `{"run_id":${JSON.stringify(head.id)},"columns":${head.columns},"rows":[${texts.join(',')}],"provider_costs":${head.provider_costs},"next_cursor":${JSON.stringify(next_cursor)}}`
}
