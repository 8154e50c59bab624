import { z } from 'zod'
import { comparePositions, sortedCasePosition, type SortedCasePosition } from '../../domain/lists/case-order.ts'
import { caseColumns } from '../../domain/run/case-columns.ts'
import { shownShape, shownText } from '../../domain/run/column.ts'
import { any, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import type { DocumentReader } from '../runs/documents.ts'
import { findRun, type Run } from '../runs/run.ts'
import { listRowsAt, matching, matchingText, type CaseFilters } from './cases.ts'
import { sortedPlaces, type CaseOrder } from './sorted-cases.ts'

// A part of a run's case list by its place in the list instead of by a cursor: a run never changes, so places stay
// valid. A page opens anywhere in a list with one request.

const count = z.number().int()

export const CaseListRow = z.object(shownShape(caseColumns, 'list', 'rows')).meta({ id: 'CaseListRow' })
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
const casePlaces = async (
  reader: Reader,
  documents: DocumentReader,
  run: Run,
  { filters, order }: RowsRequest,
): Promise<number[]> => {
  if (filters.q === undefined) return reader.read(listPlaces(run, filters, order))
  const found: SortedCasePosition[] = []
  for await (const row of matchingText(reader, documents, run, filters, -1, filters.q))
    found.push(sortedCasePosition(order, row))
  return found.sort(comparePositions(order)).map(({ n }) => n)
}

/** A `CaseListRow` as JSON text. */
export const listItemWithLines = shownText(caseColumns, ['list', 'rows'], ['asserts'])

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
  if ((await reader.read(findRun(viewer, run.id)))?.run_no !== run.run_no) return null
  const texts = shown.flatMap((n) => {
    const row = rows.get(n)
    return row ? [listItemWithLines(row)] : []
  })
  return `{"total":${places.length},"offset":${offset},"place":${at < 0 ? null : at},"rows":[${texts.join(',')}]}`
}
