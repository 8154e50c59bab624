import { z } from 'zod'
import { any, mapped, maybeOne, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import { parseIndexCursor } from './cases.ts'
import type { Viewer } from '../access/viewer.ts'
import { visible } from '../access/visible.ts'
import { contentTag } from '../parts.ts'
import type { FirstPart, Part } from '../parts.ts'

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
    rows: z.array(
      z.object({ test_id: z.string(), name: z.string().nullable(), cells: z.array(MatrixCell.nullable()) }),
    ),
    provider_costs: z.array(z.object({ provider_id: z.string(), cases: count, cost_usd: z.number().nullable() })),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'Matrix' })

const Width = z.object({ column_count: z.number() })

/** Cells that one page may hold: a run of very many columns is answered in shorter pages. */
const MAX_CELLS = 100_000

/** Rows of a page, whatever was asked for. */
export const matrixLimit = (limit: number, columns: number): number =>
  Math.max(1, Math.min(limit, Math.floor(MAX_CELLS / Math.max(1, columns))))

/** How many columns a run's matrix has; null for an unknown or hidden run. */
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

/** A row with empty cells, as it is stored: it names the cells that have cases, by their column. */
type SparseRow = {
  readonly test_id: string
  readonly name: string | null
  readonly cells: ReadonlyArray<readonly [column: number, cell: unknown]>
}

const rowText = ({ is_full, body }: z.infer<typeof Row>, columns: number): string => {
  if (is_full) return body
  const { test_id, name, cells: found } = JSON.parse(body) as SparseRow
  const cells = new Array<unknown>(columns).fill(null)
  for (const [column, cell] of found) cells[column] = cell
  return JSON.stringify({ test_id, name, cells })
}

type Asked = { readonly run_id: string; readonly limit: number; readonly cursor?: string | undefined }

/** Where a page of a matrix goes on: behind a row, with so many rows left. */
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

/** Cells that are put together at a time; one row may have more. */
const CELLS_AT_ONCE = 2_000

/** The rows behind one, and one more, which tells whether there are any behind these. */
const listRows = (run_no: number, after: number, rows: number): Query<Array<z.infer<typeof Row>>> =>
  any(
    sql.type(
      Row,
    )`SELECT n, is_full, body FROM matrix_rows WHERE run_no = ${run_no} AND n > ${after} ORDER BY n LIMIT ${rows + 1}`,
  )

/** A place in a page, and the tag of the page. */
const begin = (
  { run_no, id, document_sha256, column_count }: z.infer<typeof Head>,
  asked: Asked,
): FirstPart<MatrixPosition> => {
  const from = {
    run_no,
    width: column_count,
    after: parseIndexCursor(asked.cursor) ?? -1,
    left: matrixLimit(asked.limit, column_count),
    begun: false,
  }
  return { etag: contentTag('matrix', [id, from.after, from.left], [document_sha256]), held: 0, from }
}

/** Begins a page of a matrix; null for an unknown or hidden run. */
export const beginMatrix = async (
  reader: Reader,
  viewer: Viewer,
  asked: Asked,
): Promise<FirstPart<MatrixPosition> | null> => {
  const head = await reader.read(findHead(viewer, asked.run_id))
  return head && begin(head, asked)
}

/** The tag of a page that is too long to be hashed; null for an unknown or hidden run. */
export const findMatrixTag = async (reader: Reader, viewer: Viewer, asked: Asked): Promise<string | null> =>
  (await beginMatrix(reader, viewer, asked))?.etag ?? null

/**
 * Some rows of a page of a matrix as JSON text, put together from finished rows; null where the run is not there any
 * more.
 */
export const nextOfMatrix = async (
  reader: Reader,
  viewer: Viewer,
  { run_id }: Asked,
  from: MatrixPosition,
): Promise<Part<MatrixPosition> | null> => {
  const wanted = Math.min(from.left, Math.max(1, Math.floor(CELLS_AT_ONCE / Math.max(1, from.width))))
  const { head, rows } = await reader.readAll({
    head: findHead(viewer, run_id),
    rows: listRows(from.run_no, from.after, wanted),
  })
  if (head?.run_no !== from.run_no) return null
  const shown = rows.slice(0, wanted)
  const after = shown.at(-1)?.n ?? from.after
  const hasMore = rows.length > wanted
  const front = from.begun ? ',' : `{"run_id":${JSON.stringify(head.id)},"columns":${head.columns},"rows":[`
  const text = front + shown.map((row) => rowText(row, from.width)).join(',')
  if (hasMore && from.left > wanted) return { text, next: { ...from, after, left: from.left - wanted, begun: true } }
  return {
    text: `${text}],"provider_costs":${head.provider_costs},"next_cursor":${hasMore ? JSON.stringify(String(after)) : 'null'}}`,
    next: null,
  }
}
