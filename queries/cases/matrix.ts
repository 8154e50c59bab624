import { z } from 'zod'
import { any, constant, mapped, maybeOne, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import { parseIndexCursor } from './cases.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { contentTag, type FirstPart, type Part } from '../parts.ts'

const count = z.number().int()

const MatrixCell = z
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

/** The matrix of one run: a row for each test, a column for each pair of provider and prompt. */
export const Matrix = z
  .object({
    run_id: z.string(),
    columns: z.array(z.object({ provider_id: z.string(), prompt_id: z.string().nullable() })),
    rows: z.array(
      z.object({ test_id: z.string(), name: z.string().nullable(), cells: z.array(MatrixCell.nullable()) }),
    ),
    provider_costs: z.array(z.object({ provider_id: z.string(), cases: count, cost_usd: z.number().nullable() })),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'Matrix' })

const Width = z.object({ column_count: z.number() })

/** Maximum number of cells in a page: a run with many columns has shorter pages. */
const MAX_CELLS = 100_000

/** The number of rows of a page: the requested limit, or fewer for many columns. */
export const matrixLimit = (limit: number, columns: number): number =>
  Math.max(1, Math.min(limit, Math.floor(MAX_CELLS / Math.max(1, columns))))

/** The number of columns of a run's matrix; null for an unknown or hidden run. */
export const findMatrixWidth = (viewer: Viewer, run_id: string): Query<number | null> =>
  mapped(
    maybeOne(sql.type(Width)`
      SELECT matrices.column_count FROM runs JOIN matrices ON matrices.run_no = runs.run_no
      WHERE runs.id = ${run_id} AND ${visible(viewer, 'runs')}`),
    (row) => row?.column_count ?? null,
  )

const Head = z.object({
  run_no: z.number(),
  id: z.string(),
  document_sha256: z.string(),
  column_count: z.number(),
  columns: z.string(),
  provider_costs: z.string(),
})
const Row = z.object({ n: z.number(), is_full: z.boolean(), body: z.string() })
type Row = z.infer<typeof Row>

/** A stored row that has empty cells. It contains only the cells with cases, each with the number of its column. */
type SparseRow = {
  readonly test_id: string
  readonly name: string | null
  readonly cells: ReadonlyArray<readonly [column: number, cell: unknown]>
}

const rowText = ({ is_full, body }: Row, columns: number): string => {
  if (is_full) return body
  return JSON.stringify(filledRow(body, columns))
}

const filledRow = (body: string, columns: number): Omit<SparseRow, 'cells'> & { readonly cells: unknown[] } => {
  const { test_id, name, cells: filled } = JSON.parse(body) as SparseRow
  const cells = new Array<unknown>(columns).fill(null)
  for (const [column, cell] of filled) cells[column] = cell
  return { test_id, name, cells }
}

export type MatrixCell = z.infer<typeof MatrixCell>

/** A row with the cells that have cases, in the order of their columns: most cells of a sparse matrix are empty. */
export type MatrixRow = {
  readonly test_id: string
  readonly name: string | null
  readonly cells: ReadonlyArray<readonly [column: number, cell: MatrixCell]>
}

/** A stored row with its cells that have cases. */
export const matrixRowOf = ({ is_full, body }: Row): MatrixRow => {
  // Safe: the projection wrote it.
  const { test_id, name, cells } = JSON.parse(body) as Omit<MatrixRow, 'cells'> & { readonly cells: unknown[] }
  return {
    test_id,
    name,
    cells: is_full
      ? (cells as MatrixCell[]).map((cell, column) => [column, cell] as const)
      : (cells as Array<MatrixRow['cells'][number]>).toSorted(([a], [b]) => a - b),
  }
}

type Request = { readonly run_id: string; readonly limit: number; readonly cursor?: string | undefined }

/** The position at which a page of a matrix continues: after the row `after`, with `left` more rows at most. */
export type MatrixPosition = {
  readonly run_no: number
  readonly width: number
  readonly after: number
  readonly left: number
  readonly begun: boolean
}

const findHead = (viewer: Viewer, run_id: string): Query<z.infer<typeof Head> | null> =>
  maybeOne(sql.type(Head)`
    SELECT runs.run_no, runs.id, runs.document_sha256, matrices.column_count, matrices.columns, matrices.provider_costs
    FROM runs JOIN matrices ON matrices.run_no = runs.run_no WHERE runs.id = ${run_id} AND ${visible(viewer, 'runs')}`)

/** Maximum number of cells in a part; one row may have more. */
const CELLS_PER_PART = 2_000

/** The next rows after one row. The query reads one row more than `rows`, which shows whether there are others. */
const listRows = (run_no: number, after: number, rows: number): Query<Row[]> =>
  any(
    sql.type(Row)`
      SELECT n, is_full, body FROM matrix_rows
      WHERE run_no = ${run_no} AND n > ${after}
      ORDER BY n LIMIT ${rows + 1}`,
  )

/** The next rows of a matrix after one row. */
export const listMatrixRows = (run_no: number, after: number, rows: number): Query<Row[]> =>
  listRows(run_no, after, rows - 1)

/** Maximum number of rows that are read by their numbers. */
export const MAX_NUMBERED_ROWS = 500

/** Rows of a matrix by their numbers. The list is padded, so that all such queries share one prepared text. */
export const listNumberedRows = (run_no: number, numbers: readonly number[]): Query<Row[]> => {
  const padded = Array.from({ length: MAX_NUMBERED_ROWS }, (_, i) => numbers[i] ?? -1)
  return numbers.length === 0
    ? constant([])
    : any(sql.type(Row)`
        SELECT n, is_full, body FROM matrix_rows
        WHERE run_no = ${run_no} AND n IN (${sql.join(padded, sql.fragment`, `)})`)
}

/** The first position of a page, and the ETag of the page. */
const begin = (
  { run_no, id, document_sha256, column_count }: z.infer<typeof Head>,
  request: Request,
): FirstPart<MatrixPosition> => {
  const from = {
    run_no,
    width: column_count,
    after: parseIndexCursor(request.cursor) ?? -1,
    left: matrixLimit(request.limit, column_count),
    begun: false,
  }
  return { etag: contentTag('matrix', [id, from.after, from.left], [document_sha256]), memoryBytes: 0, from }
}

/** Starts a page of a matrix; null for an unknown or hidden run. */
export const startMatrix = async (
  reader: Reader,
  viewer: Viewer,
  request: Request,
): Promise<FirstPart<MatrixPosition> | null> => {
  const head = await reader.read(findHead(viewer, request.run_id))
  return head && begin(head, request)
}

/** The ETag of a page that is too long to hash; null for an unknown or hidden run. */
export const findMatrixTag = async (reader: Reader, viewer: Viewer, request: Request): Promise<string | null> =>
  (await startMatrix(reader, viewer, request))?.etag ?? null

/**
 * The next rows of a page of a matrix as JSON text, joined from stored rows; null if the run no longer exists.
 */
export const continueMatrix = async (
  reader: Reader,
  viewer: Viewer,
  { run_id }: Request,
  from: MatrixPosition,
): Promise<Part<MatrixPosition> | null> => {
  const count = Math.min(from.left, Math.max(1, Math.floor(CELLS_PER_PART / Math.max(1, from.width))))
  const { head, rows } = await reader.readAll({
    head: findHead(viewer, run_id),
    rows: listRows(from.run_no, from.after, count),
  })
  if (head?.run_no !== from.run_no) return null
  const listed = rows.slice(0, count)
  const after = listed.at(-1)?.n ?? from.after
  const hasMore = rows.length > count
  const front = from.begun ? ',' : `{"run_id":${JSON.stringify(head.id)},"columns":${head.columns},"rows":[`
  const text = front + listed.map((row) => rowText(row, from.width)).join(',')
  if (hasMore && from.left > count) return { text, next: { ...from, after, left: from.left - count, begun: true } }
  return {
    text: `${text}],"provider_costs":${head.provider_costs},"next_cursor":${hasMore ? JSON.stringify(String(after)) : 'null'}}`,
    next: null,
  }
}
