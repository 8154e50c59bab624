import { z } from 'zod'
import { comparePositions, sortedCasePosition, type SortedCasePosition } from '../../domain/lists/case-order.ts'
import { caseColumns } from '../../domain/run/case-columns.ts'
import { shownShape, shownText } from '../../domain/run/column.ts'
import { any, numberList, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import type { DocumentReader } from '../runs/documents.ts'
import { findRun, type Run } from '../runs/run.ts'
import { listRowsAt, matching, matchingText, type CaseFilters } from './cases.ts'
import { sortedPlaces, type CaseOrder } from './sorted-cases.ts'

// A part of a run's case list by its place in the list instead of by a cursor: a run never changes, so places stay
// valid. A page opens anywhere in a list with one request.

const count = z.number().int()

export const CaseListRow = z
  .object({
    ...shownShape(caseColumns, 'list', 'rows'),
    /** Values of variables and assertions by name, on request: `var.city`, `assert.accuracy`. */
    fields: z.record(z.string(), z.string()).optional(),
  })
  .meta({ id: 'CaseListRow' })
export type CaseListRow = z.infer<typeof CaseListRow>

export const CaseRows = z
  .object({
    /** Number of cases that match. */
    total: count,
    /** Place of the first row, from 0. */
    offset: count,
    /** Place of the case that was asked for; null if none was, or if it does not match. */
    place: count.nullable(),
    rows: z.array(CaseListRow),
  })
  .meta({ id: 'CaseRows' })
export type CaseRows = z.infer<typeof CaseRows>

export type RowsRequest = {
  readonly filters: CaseFilters
  readonly order: CaseOrder
  readonly limit: number
  readonly offset: number
  /** The key of a case. The answer is then the page that has this case, if it matches. */
  readonly around?: string | undefined
  /** Whether the rows have the variables and assertions of their cases. */
  readonly fields?: boolean | undefined
}

const Place = z.object({ n: z.number() })
const listPlaces = ({ run_no }: Run, filters: CaseFilters, order: CaseOrder): Query<number[]> => {
  const { token, shape } = any(
    sql.type(Place)`SELECT place.n FROM (${sortedPlaces(run_no, matching(filters), order, null, null)}) place`,
  )
  return { token, shape: (rows) => shape(rows).map(({ n }) => n) }
}

const KeyRow = z.object({ n: z.number() })
const findIndex = ({ run_no }: Run, case_key: string): Query<Array<z.infer<typeof KeyRow>>> =>
  any(sql.type(KeyRow)`SELECT n FROM cases WHERE run_no = ${run_no} AND case_key = ${case_key} LIMIT 1`)

/** The indexes of all cases that match, in order. */
export const casePlaces = async (
  reader: Reader,
  documents: DocumentReader,
  run: Run,
  { filters, order }: Pick<RowsRequest, 'filters' | 'order'>,
): Promise<number[]> => {
  if (filters.q === undefined) return reader.read(listPlaces(run, filters, order))
  const found: SortedCasePosition[] = []
  for await (const row of matchingText(reader, documents, run, filters, -1, filters.q))
    found.push(sortedCasePosition(order, row))
  return found.sort(comparePositions(order)).map(({ n }) => n)
}

/** A `CaseListRow` as JSON text. */
export const listItemWithLines = shownText(caseColumns, ['list', 'rows'], ['asserts'])

const FieldsRow = z.object({ n: z.number(), fields: z.string().nullable() })
const listFieldsAt = ({ run_no }: Run, indexes: readonly number[]): Query<Array<z.infer<typeof FieldsRow>>> =>
  any(sql.type(FieldsRow)`SELECT n, fields FROM cases WHERE run_no = ${run_no} AND n IN (${numberList(indexes)})`)

/** A part of the cases of a run, as JSON text; null if the run was deleted. */
export const listCaseRows = async (
  reader: Reader,
  documents: DocumentReader,
  viewer: Viewer,
  run: Run,
  asked: RowsRequest,
): Promise<string | null> => {
  const places = await casePlaces(reader, documents, run, asked)
  const [wanted] = asked.around === undefined ? [] : await reader.read(findIndex(run, asked.around))
  const at = wanted ? places.indexOf(wanted.n) : -1
  const offset = at < 0 ? asked.offset : at - (at % asked.limit)
  const shown = places.slice(offset, offset + asked.limit)
  const rows = new Map(
    shown.length === 0 ? [] : (await reader.read(listRowsAt(run, shown))).map((row) => [row.n, row] as const),
  )
  const fields = new Map(
    asked.fields !== true || shown.length === 0
      ? []
      : (await reader.read(listFieldsAt(run, shown))).map((row) => [row.n, row.fields ?? '{}'] as const),
  )
  if ((await reader.read(findRun(viewer, run.id)))?.run_no !== run.run_no) return null
  const texts = shown.flatMap((n) => {
    const row = rows.get(n)
    const text = row && listItemWithLines(row)
    const own = fields.get(n)
    return text === undefined ? [] : [own === undefined ? text : `${text.slice(0, -1)},"fields":${own}}`]
  })
  return `{"total":${places.length},"offset":${offset},"place":${at < 0 ? null : at},"rows":[${texts.join(',')}]}`
}
