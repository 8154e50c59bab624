import { z } from 'zod'
import { comparePositions, sortedCasePosition, type SortedCasePosition } from '../../domain/lists/case-order.ts'
import { withShownName } from '../../domain/lists/case-name.ts'
import { fieldTokens } from '../../domain/run/case-fields.ts'
import { caseColumns, CaseRow } from '../../domain/run/case-columns.ts'
import { readShape, shownShape, shownText } from '../../domain/run/column.ts'
import { parseExact } from '../../domain/run/canonical-json.ts'
import { outputText, readCase, type CaseStatus, type NormalCase } from '../../domain/run/document.ts'
import { historyKey } from '../../domain/run/history-key.ts'
import { tagToken } from '../../domain/run/tags.ts'
import { likeSubstring } from '../../domain/search/like.ts'
import { any, maybeOne, numberList, sql, type Fragment } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { CaseEvidenceCounts } from '../evidence/counts.ts'
import type { Viewer } from '../access/viewer.ts'
import { columnList } from '../columns.ts'
import type { DocumentReader } from '../runs/documents.ts'
import { findRun, type Run } from '../runs/run.ts'
import { page } from '../../domain/wire.ts'
import {
  isDocumentOrder,
  parseSortedCaseCursor,
  placesOrder,
  sortedCaseCursor,
  sortedPlaces,
  type CaseOrder,
} from './sorted-cases.ts'

const text = z.string().nullable()

/** One row of a run's case list. */
export const CaseListItem = z.object(shownShape(caseColumns, 'list')).meta({ id: 'CaseListItem' })
export type CaseListItem = z.infer<typeof CaseListItem>

export const CaseList = z.object({ cases: z.array(CaseListItem), next_cursor: text }).meta({ id: 'CaseList' })
export type CaseList = z.infer<typeof CaseList>

const Row = CaseRow.pick({ n: true, cost_micro: true, document_offset: true, document_length: true }).extend({
  ...readShape(caseColumns, 'list', 'rows'),
  /** JSON text, which the response contains unchanged. */
  asserts: z.string(),
})
export type Row = z.infer<typeof Row>

const COLUMNS = sql.fragment`${columnList('cases', Row.omit({ asserts: true }))}, CAST(cases.asserts AS text) AS asserts`

/** A `CaseListItem` as JSON text. */
const listItem = shownText(caseColumns, ['list'], ['asserts'])

export type CaseFilters = {
  readonly status?: CaseStatus | undefined
  readonly tag?: string | undefined
  readonly q?: string | undefined
  readonly provider?: string | undefined
  readonly prompt?: string | undefined
  readonly test?: string | undefined
  readonly stop_reason?: string | undefined
  readonly error_class?: string | undefined
  readonly empty_reason?: string | undefined
  readonly cached?: boolean | undefined
  /** A field of `caseFields` and its value: `var.city=Lima`. */
  readonly field?: string | undefined
  /**
   * Range filters: `_from` is inclusive, `_below` is exclusive. They exclude cases without the value, and cases with a
   * latency of 0, because it was not measured.
   */
  readonly score_from?: number | undefined
  readonly score_below?: number | undefined
  readonly latency_from?: number | undefined
  readonly latency_below?: number | undefined
}

const equal = (column: string, value: string | undefined): Fragment | undefined =>
  value === undefined ? undefined : sql.fragment`${sql.identifier(['cases', column])} = ${value}`

const hasField = (field: string): Fragment => {
  const end = field.indexOf('=')
  if (end < 0) return sql.fragment`FALSE`
  return sql.or(
    fieldTokens(field.slice(0, end), field.slice(end + 1)).map(
      (token) => sql.fragment`replace(cases.fields, ${token}, '') <> cases.fields`,
    ),
  )
}

export const matching = (filters: CaseFilters): Fragment =>
  sql.and([
    equal('status', filters.status),
    equal('provider_id', filters.provider),
    equal('prompt_id', filters.prompt),
    equal('test_id', filters.test),
    equal('stop_reason', filters.stop_reason),
    // An empty text is never stored as the reason, so a filter for the empty text selects nothing.
    equal('empty_reason', filters.empty_reason),
    filters.error_class === 'unknown'
      ? sql.fragment`(cases.error_class = 'unknown' OR (cases.status = 'error' AND cases.error_class IS NULL))`
      : equal('error_class', filters.error_class),
    filters.cached === undefined
      ? undefined
      : filters.cached
        ? sql.fragment`cases.cached`
        : sql.fragment`(cases.cached IS NULL OR NOT cases.cached)`,
    // Case-sensitive on both databases, unlike LIKE.
    filters.tag === undefined
      ? undefined
      : sql.fragment`replace(cases.tags, ${tagToken(filters.tag)}, '') <> cases.tags`,
    filters.field === undefined ? undefined : hasField(filters.field),
    filters.score_from === undefined ? undefined : sql.fragment`cases.score >= ${filters.score_from}`,
    filters.score_below === undefined ? undefined : sql.fragment`cases.score < ${filters.score_below}`,
    filters.latency_from === undefined
      ? undefined
      : sql.fragment`cases.latency_ms >= CAST(${filters.latency_from} AS double precision) AND cases.latency_ms > 0`,
    filters.latency_below === undefined
      ? undefined
      : sql.fragment`cases.latency_ms < CAST(${filters.latency_below} AS double precision) AND cases.latency_ms > 0`,
    sql.fragment`TRUE`,
  ])

const listRows = ({ run_no }: Run, filters: CaseFilters, after: number, limit: number): Query<Row[]> =>
  any(sql.type(Row)`
    SELECT ${COLUMNS}
    FROM cases WHERE run_no = ${run_no} AND n > ${after} AND ${matching(filters)}
    ORDER BY n LIMIT ${limit}`)

/** Returns the row number in a cursor, or null if the text is not a cursor. */
export const parseIndexCursor = (cursor: string | undefined): number | null =>
  /^\d{1,10}$/.test(cursor ?? '') ? Number(cursor) : null

/** Number of rows that one query reads while free text is searched in the document. */
const ROWS_PER_QUERY = 500

type CasePage = { readonly limit: number; readonly cursor?: string | undefined }

const DOCUMENT_ORDER: CaseOrder = { sort: 'document', order: 'asc' }

/**
 * The cases of a run, as JSON text; null if the run was deleted. With `q` it also reads the document, so it must run on
 * a reader thread.
 */
export const listCases = async (
  reader: Reader,
  documents: DocumentReader,
  viewer: Viewer,
  run: Run,
  filters: CaseFilters,
  page: CasePage,
  order = DOCUMENT_ORDER,
): Promise<string | null> => {
  const found = await readCases(reader, documents, viewer, run, filters, page, order)
  return found && `{"cases":[${found.rows.map(listItem).join(',')}],"next_cursor":${JSON.stringify(found.next_cursor)}}`
}

/** The rows of a page of cases; null if the run was deleted. */
export const readCases = async (
  reader: Reader,
  documents: DocumentReader,
  viewer: Viewer,
  run: Run,
  filters: CaseFilters,
  { limit, cursor }: CasePage,
  order = DOCUMENT_ORDER,
): Promise<{ readonly rows: readonly Row[]; readonly next_cursor: string | null } | null> => {
  const rows = isDocumentOrder(order)
    ? await inDocumentOrder(reader, documents, run, filters, parseIndexCursor(cursor) ?? -1, limit + 1)
    : await inOrder(reader, documents, run, filters, order, parseSortedCaseCursor(order, cursor), limit + 1)
  // A deletion removes all rows at once. So rows of one query are complete. If there are none, or if they are of several
  // queries, the run may have been deleted meanwhile.
  const isComplete = filters.q === undefined && isDocumentOrder(order) && rows.length > 0
  if (!isComplete && (await reader.read(findRun(viewer, run.id)))?.run_no !== run.run_no) return null
  return page(rows, limit, ({ n }) => (isDocumentOrder(order) ? String(n) : sortedCaseCursor(order, n)))
}

const inDocumentOrder = async (
  reader: Reader,
  documents: DocumentReader,
  run: Run,
  filters: CaseFilters,
  after: number,
  wanted: number,
): Promise<Row[]> => {
  if (filters.q === undefined) return reader.read(listRows(run, filters, after, wanted))
  const found: Row[] = []
  for await (const row of matchingText(reader, documents, run, filters, after, filters.q)) {
    found.push(row)
    if (found.length === wanted) break
  }
  return found
}

/** The first cases in an order, after the case with the index `after`; after none if the run has no such case. */
const inOrder = async (
  reader: Reader,
  documents: DocumentReader,
  run: Run,
  filters: CaseFilters,
  order: CaseOrder,
  after: number | null,
  wanted: number,
): Promise<Row[]> => {
  const [last] = after === null ? [] : await reader.read(listRowsAt(run, [after]))
  const from = last ? sortedCasePosition(order, last) : null
  if (filters.q === undefined)
    return reader.read(
      any(sql.type(Row)`
        SELECT ${COLUMNS} FROM (${sortedPlaces(run.run_no, matching(filters), order, from, wanted)}) place CROSS JOIN cases
        WHERE cases.run_no = ${run.run_no} AND cases.n = place.n ${placesOrder(order)}`),
    )
  // The document is read in its own order, because each of its frames contains many cases.
  const compare = comparePositions(order)
  const found: SortedCasePosition[] = []
  for await (const row of matchingText(reader, documents, run, filters, -1, filters.q)) {
    const position = sortedCasePosition(order, row)
    if (!from || compare(position, from) > 0) found.push(position)
  }
  const places = found.sort(compare).slice(0, wanted)
  const rows = new Map(
    places.length === 0
      ? []
      : (
          await reader.read(
            listRowsAt(
              run,
              places.map(({ n }) => n),
            ),
          )
        ).map((row) => [row.n, row]),
  )
  return places.flatMap(({ n }) => rows.get(n) ?? [])
}

export const listRowsAt = ({ run_no }: Run, indexes: readonly number[]): Query<Row[]> =>
  any(sql.type(Row)`
    SELECT ${COLUMNS} FROM cases WHERE run_no = ${run_no} AND n IN (${numberList(indexes)})`)

/** The cases whose name or output contains a text, in the order of the document. */
export async function* matchingText(
  reader: Reader,
  documents: DocumentReader,
  run: Run,
  filters: CaseFilters,
  after: number,
  q: string,
): AsyncGenerator<Row> {
  const matches = likeSubstring(q)
  // Only an exact parse keeps the digits of numbers. It is slower, so it is used only if the text has digits.
  const parse: (text: string) => unknown = /\p{N}/u.test(q) ? parseExact : JSON.parse
  for (let from = after; ;) {
    const rows = await reader.read(listRows(run, filters, from, ROWS_PER_QUERY))
    for (const row of rows) {
      const hasName = row.name !== null && matches(row.name)
      if (!hasName) {
        const slice = await documents.slice(run.run_no, row.document_offset, row.document_length)
        const { name, output: value } = parse(slice.toString('utf8')) as { name?: unknown; output?: unknown }
        const output = outputText(value)
        // The row contains only the start of a long name; the document contains the whole name.
        if (!(typeof name === 'string' && matches(name)) && (output === null || !matches(output))) continue
      }
      yield row
    }
    const last = rows.at(-1)
    if (!last || rows.length < ROWS_PER_QUERY) return
    from = last.n
  }
}

const Span = CaseRow.pick({ case_key: true, test_id: true, document_offset: true, document_length: true })
const SPAN_COLUMNS = columnList('cases', Span)

/** Where a case is in its document, or null. */
const findCaseSpan = (
  { run_no, project, suite, created_at }: Run,
  case_key: string,
): Query<z.infer<typeof Span> | null> =>
  maybeOne(sql.type(Span)`
    SELECT ${SPAN_COLUMNS} FROM cases
    WHERE history_key = ${historyKey(project, suite, case_key)} AND created_at = ${created_at} AND run_no = ${run_no} AND case_key = ${case_key}`)

/** Where a case of a visible run is in its document; null for an unknown or hidden run. */
export const findCaseInRun = async (
  reader: Reader,
  viewer: Viewer,
  run_id: string,
  case_key: string,
): Promise<CaseSpan | null> => {
  const run = await reader.read(findRun(viewer, run_id))
  const span = run && (await reader.read(findCaseSpan(run, case_key)))
  return span && { ...span, run_no: run.run_no }
}

/** One case in full, as `GET /runs/{id}/cases/{case_key}` returns it. */
export type CaseDetail = NormalCase & { readonly evidence?: CaseEvidenceCounts }

export type CaseSpan = z.infer<typeof Span> & { readonly run_no: number }

/** One case in full, in its normal form. A large case must be read on a reader thread. */
export const readNormalCaseAt = async (
  documents: DocumentReader,
  { run_no, document_offset, document_length }: CaseSpan,
): Promise<Omit<NormalCase, 'empty_reason'> & Partial<NormalCase>> => {
  const read = readCase(await documents.slice(run_no, document_offset, document_length))
  const { empty_reason, ...rest } = read
  // An empty text counts as no reason, but only in the response. The normal form contains it, because the hash of the
  // normal form identifies the content.
  return empty_reason === '' ? rest : read
}

/** The same as JSON text, with the name that the case is shown by: numbers keep all their digits. */
export const readCaseAt = async (documents: DocumentReader, span: CaseSpan): Promise<string> =>
  JSON.stringify(withShownName(await readNormalCaseAt(documents, span)))
