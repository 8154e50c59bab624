import { csvLine } from '../domain/csv.ts'
import { caseColumns } from '../domain/run/case-columns.ts'
import { failureReasons } from '../domain/report/failure-reasons.ts'
import { csvColumns } from '../domain/run/column.ts'
import { readCaseTexts } from '../domain/run/document.ts'
import { runColumns } from '../domain/run/run-columns.ts'
import { rfc3339 } from '../domain/wire.ts'
import type { Reader } from '../storage/storage.ts'
import type { Viewer } from './access/viewer.ts'
import { readCases, type CaseFilters, type Row } from './cases/cases.ts'
import type { CaseOrder } from './cases/sorted-cases.ts'
import { contentTag, type FirstPart, type Part } from './parts.ts'
import type { DocumentReader } from './runs/documents.ts'
import { findRun } from './runs/run.ts'
import { listRunsBy, type RunFilters, type RunList } from './runs/run-list.ts'
import type { RunOrder } from './runs/sorted-runs.ts'

// Lists of runs and of cases as CSV, in parts. Each part is a page of the list: it is read with the filters, the order and
// the access of the caller.

/** The cursor of the page to read; null is the first page. */
export type CsvPosition = { readonly cursor: string | null }

/** Rows of one part. A sorted list is sorted again for each part, so parts are large. */
const ROWS_PER_PART = 2_000

/** Memory that a position takes. */
const MEMORY_BYTES = 1_024

const RUN_COLUMNS = csvColumns(runColumns, 'shown', [
  'id',
  'project',
  'suite',
  'created_at',
  'note',
  'git_branch',
  'git_commit',
  'git_dirty',
  'case_count',
  'pass_count',
  'fail_count',
  'error_count',
  'xfail_count',
  'xpass_count',
  'pass_rate',
  'cost_usd',
])
/** What was added to a run after its upload, in columns of its own, the last ones. */
const ADDED_COLUMNS = ['added_title', 'added_note', 'added_tags']
const addedCells = ({ added }: RunList['runs'][number]) => [
  added?.title ?? null,
  added?.note ?? null,
  added?.tags.join(' ') ?? null,
]

const RUN_HEADER = csvLine([...RUN_COLUMNS.map(({ header }) => header), ...ADDED_COLUMNS])

export type RunsCsvRequest = { readonly filters: RunFilters; readonly order: RunOrder }

const FIRST: FirstPart<CsvPosition> = {
  etag: contentTag('csv', [], []),
  memoryBytes: MEMORY_BYTES,
  from: { cursor: null },
}
export const startRunsCsv = (): FirstPart<CsvPosition> => FIRST

/** The next runs as lines. The first part begins with the names of the columns. */
export const continueRunsCsv = async (
  reader: Reader,
  viewer: Viewer,
  { filters, order }: RunsCsvRequest,
  { cursor }: CsvPosition,
): Promise<Part<CsvPosition>> => {
  const page = { limit: ROWS_PER_PART, cursor: cursor ?? undefined }
  const { runs, next_cursor } = JSON.parse(await listRunsBy(reader, viewer, filters, order, page)) as RunList
  const lines = runs.map((run) => csvLine([...RUN_COLUMNS.map(({ value }) => value(run)), ...addedCells(run)]))
  return {
    text: `${cursor === null ? RUN_HEADER : ''}${lines.join('')}`,
    next: next_cursor === null ? null : { cursor: next_cursor },
  }
}

const CASE_COLUMNS = csvColumns(caseColumns, 'stored', [
  'case_key',
  'provider_id',
  'prompt_id',
  'test_id',
  'repeat',
  'name',
  'status',
  'score',
  'cost_usd',
  'latency_ms',
  'prompt_tokens',
  'completion_tokens',
  'stop_reason',
  'error_class',
  'error',
  'asserts',
  'output_preview',
])
const CASE_HEADER = csvLine([
  'run_id',
  'project',
  'suite',
  'created_at',
  ...CASE_COLUMNS.map(({ header }) => header),
  'failure_reasons',
])

/**
 * The reasons of the cases that failed, by their numbers. They are in the document alone, so the cases that passed are not
 * read.
 */
const readReasons = async (
  documents: DocumentReader,
  run_no: number,
  rows: ReadonlyArray<Pick<Row, 'n' | 'status' | 'document_offset' | 'document_length'>>,
): Promise<ReadonlyMap<number, string>> => {
  const failed = rows.filter(({ status }) => status === 'fail' || status === 'error')
  const reasons = new Map<number, string>()
  let at = 0
  for await (const slice of documents.slices(failed.map((row) => ({ run_no, ...row })))) {
    const row = failed[at++]
    const text = slice && failureReasons(readCaseTexts(slice))
    if (row && text) reasons.set(row.n, text)
  }
  return reasons
}

export type CasesCsvRequest = { readonly run_id: string; readonly filters: CaseFilters; readonly order: CaseOrder }

export const startCasesCsv = async (
  reader: Reader,
  viewer: Viewer,
  { run_id }: CasesCsvRequest,
): Promise<FirstPart<CsvPosition> | null> => (await reader.read(findRun(viewer, run_id))) && FIRST

/** The next cases as lines; null if the run was deleted or hidden meanwhile. */
export const continueCasesCsv = async (
  reader: Reader,
  documents: DocumentReader,
  viewer: Viewer,
  { run_id, filters, order }: CasesCsvRequest,
  { cursor }: CsvPosition,
): Promise<Part<CsvPosition> | null> => {
  const run = await reader.read(findRun(viewer, run_id))
  const page = { limit: ROWS_PER_PART, cursor: cursor ?? undefined }
  const found = run && (await readCases(reader, documents, viewer, run, filters, page, order))
  if (!found) return null
  const runCells = [run.id, run.project, run.suite, rfc3339(run.created_at)]
  const reasons = await readReasons(documents, run.run_no, found.rows)
  const lines = found.rows.map((row) =>
    csvLine([...runCells, ...CASE_COLUMNS.map(({ value }) => value(row)), reasons.get(row.n) ?? null]),
  )
  return {
    text: `${cursor === null ? CASE_HEADER : ''}${lines.join('')}`,
    next: found.next_cursor === null ? null : { cursor: found.next_cursor },
  }
}
