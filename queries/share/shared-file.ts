import { hasAssertionTexts, sharedCase, type SharedPart, type SharedParts } from '../../domain/report/shared-case.ts'
import { rowsIn } from '../../domain/lists/matrix-order.ts'
import { MATRIX_VALUES } from '../../domain/run/matrix-values.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { listItemWithLines, type CaseListRow } from '../cases/case-rows.ts'
import { readCases, readNormalCaseAt, type Row } from '../cases/cases.ts'
import { findDistribution, type Distribution } from '../cases/distribution.ts'
import { findMatrixOrder } from '../cases/matrix-order.ts'
import { listMatrixPage, type MatrixRows } from '../cases/matrix-rows.ts'
import { findConfig } from '../runs/config.ts'
import type { DocumentReader } from '../runs/documents.ts'
import { findRun, type Run } from '../runs/run.ts'
import { findRunDetail } from '../runs/run-detail.ts'
import type { RunInSuite } from '../runs/run-in-suite.ts'
import { listComparedCases, type ComparedCases } from '../statistics/compared-cases.ts'
import { findComparedOrder } from '../statistics/compared-order.ts'
import { findComparisonStatistics, type ComparisonStatistics } from '../statistics/comparison-statistics.ts'

// Everything that a file with a run has, so that its page needs no server. Lists are whole, and the page filters and
// sorts them.

/** A row of the case list, with the tags by which it can be filtered. */
export type SharedRow = CaseListRow & { readonly tags: readonly string[] }

type SharedMatrix = {
  /** As `domain/lists/matrix-order.ts` encodes it; null for what has no number. */
  readonly order: ReadonlyArray<number | null>
  readonly rows: ReadonlyArray<{
    readonly test_id: string
    readonly name: string | null
    readonly cells: ReadonlyArray<{
      /** By value, as in `MATRIX_VALUES`. */
      readonly values: ReadonlyArray<number | null>
      readonly passed: number
      readonly total: number
      readonly case_key: string | null
    } | null>
  }>
}

export type SharedRun = {
  readonly run: RunInSuite
  /** SHA-256 of the document, in hex, and its length. */
  readonly document: { readonly sha256: string; readonly bytes: number }
  readonly distribution: Distribution
  readonly matrix: SharedMatrix
  /**
   * The configuration as `GET /runs/{id}/config` returns it, for a comparison; null without one, or if a part that it
   * repeats is left out.
   */
  readonly config: string | null
  readonly rows: readonly SharedRow[]
  /** The number of cases in each block: the cases of the blocks are those of `rows`, in the same order. */
  readonly blocks: readonly number[]
}

export type SharedComparison = {
  readonly base: string
  readonly head: string
  readonly statistics: ComparisonStatistics
  readonly cases: ComparedCases
}

/** What a file has before a case is opened. */
export type SharedFile = {
  /** The runs: the one that the file is about, and the one that it is compared with. */
  readonly runs: readonly SharedRun[]
  /** The comparison, and the same with base and head swapped. */
  readonly comparisons: readonly SharedComparison[]
  readonly without: readonly SharedPart[]
  readonly max_output_bytes: number | null
}

/** Cases of one block at most, and characters after which another block begins. */
const MAX_BLOCK_CASES = 200
const MAX_BLOCK_CHARACTERS = 512 * 1024

const ROWS_PER_QUERY = 500

type SharedReads = { readonly reader: Reader; readonly documents: DocumentReader; readonly viewer: Viewer }

/** A run and its blocks. A block is the JSON texts of its cases, one a line. */
export type ReadRun = { readonly shared: SharedRun; readonly blocks: readonly string[] }

/** Reads what a file has of a run. Throws if there is no such run, or if it is deleted meanwhile. */
export const readSharedRun = async (
  source: SharedReads,
  run_id: string,
  { hasConfig, ...parts }: SharedParts & { readonly hasConfig: boolean },
): Promise<ReadRun> => {
  const { reader, viewer } = source
  const run = found(await reader.read(findRun(viewer, run_id)))
  const detail = found(await reader.read(findRunDetail(viewer, run_id)))
  const { rows, blocks } = await readRows(source, run, parts)
  return {
    shared: {
      // What the store knows about an upload is not about the run.
      run: { ...detail, uploaded_at: detail.created_at, uploaded_by: null, set: null, previous: null },
      document: { sha256: run.document_sha256, bytes: run.document_bytes },
      distribution: found(await findDistribution(reader, viewer, run_id)),
      matrix: await readMatrix(source, run, parts.without.has('vars') ? namesOfTests(rows) : null),
      config: hasConfig && parts.without.size === 0 ? await findConfig(reader, viewer, run_id) : null,
      rows,
      blocks: blocks.map(({ length }) => length),
    },
    blocks: blocks.map((texts) => texts.join('\n')),
  }
}

const found = <T>(value: T | null): T => {
  if (value === null) throw new Error('the run was deleted while it was read')
  return value
}

const readRows = async ({ reader, documents, viewer }: SharedReads, run: Run, parts: SharedParts) => {
  const rows: SharedRow[] = []
  const blocks: string[][] = []
  let characters = Infinity
  for (let cursor: string | undefined; ;) {
    const page = found(await readCases(reader, documents, viewer, run, {}, { limit: ROWS_PER_QUERY, cursor }))
    for (const row of page.rows) {
      const normal = await readNormalCaseAt(documents, { ...row, run_no: run.run_no })
      const text = JSON.stringify(sharedCase(normal, parts))
      // A name that was made from variables would reveal them.
      const own = parts.without.has('vars') && { name: normal.name ?? null }
      rows.push({ ...listed(row, parts), ...own, tags: [...new Set(normal.tags ?? [])] })
      const last = blocks.at(-1)
      if (!last || last.length >= MAX_BLOCK_CASES || characters + text.length > MAX_BLOCK_CHARACTERS) {
        blocks.push([text])
        characters = text.length
      } else {
        last.push(text)
        characters += text.length
      }
    }
    if (page.next_cursor === null) return { rows, blocks }
    cursor = page.next_cursor
  }
}

/** A row of the list without the texts of parts that are left out. */
const listed = (row: Row, parts: SharedParts): CaseListRow => {
  const item = JSON.parse(listItemWithLines(row)) as CaseListRow
  return {
    ...item,
    ...(parts.without.has('outputs') ? { output_preview: null, call: null } : {}),
    ...(hasAssertionTexts(parts) ? {} : { reason: null }),
  }
}

/** The names of tests by their ids, for a file without variables: the stored names may be made of them. */
export type SharedNames = ReadonlyMap<string | null, string | null>

export const namesOfTests = (rows: readonly SharedRow[]): SharedNames =>
  new Map(rows.toReversed().map(({ test_id, name }) => [test_id, name]))

/** `names`: those of the tests, if the stored ones may show variables. */
const readMatrix = async (
  { reader, viewer }: SharedReads,
  { id, run_no }: Run,
  names: SharedNames | null,
): Promise<SharedMatrix> => {
  const order = found(await findMatrixOrder(reader, viewer, id))
  const pages = await Promise.all(
    MATRIX_VALUES.map(async (value) => {
      const rows: Array<MatrixRows['rows'][number]> = []
      for (let cursor: string | undefined; ;) {
        const asked = { run_id: id, run_no, order, value, sort: 'document', limit: ROWS_PER_QUERY, cursor } as const
        const page = found(await listMatrixPage(reader, viewer, asked))
        rows.push(...page.rows)
        if (page.next_cursor === null) return rows
        cursor = page.next_cursor
      }
    }),
  )
  const [first = []] = pages
  if (first.length !== rowsIn(order, { value: 'score', sort: 'document' }).length)
    throw new Error('the matrix was changed while it was read')
  return {
    order: Array.from(order, (number) => (Number.isNaN(number) ? null : number)),
    rows: first.map(({ test_id, name, cells }, n) => ({
      test_id,
      name: names ? (names.get(test_id) ?? null) : name,
      cells: cells.map(
        (cell, column) =>
          cell && {
            values: pages.map((rows) => rows[n]?.cells[column]?.value ?? null),
            passed: cell.passed,
            total: cell.total,
            case_key: cell.case_key,
          },
      ),
    })),
  }
}

/** Reads the comparison of two runs; `names` replace the stored ones. Throws if one is deleted meanwhile. */
export const readSharedComparison = async (
  { reader, documents, viewer }: SharedReads,
  { base, head }: { readonly base: string; readonly head: string },
  names: SharedNames | null,
): Promise<SharedComparison> => {
  const [baseRun, headRun] = [
    found(await reader.read(findRun(viewer, base))),
    found(await reader.read(findRun(viewer, head))),
  ]
  const pair = { base, head }
  const statistics = await findComparisonStatistics(reader, documents, viewer, { ...pair, cluster_by: { by: 'test' } })
  const order = found(await findComparedOrder(reader, viewer, pair))
  const cases: Array<ComparedCases['cases'][number]> = []
  for (let cursor: string | undefined; ;) {
    const asked = { ...pair, base_no: baseRun.run_no, head_no: headRun.run_no, order, filter: 'all', cursor } as const
    const page: ComparedCases = found(await listComparedCases(reader, viewer, { ...asked, limit: ROWS_PER_QUERY }))
    cases.push(...page.cases.map((item) => (names ? { ...item, name: names.get(item.test_id) ?? null } : item)))
    if (page.next_cursor === null) return { ...pair, statistics: found(statistics), cases: { ...page, cases } }
    cursor = page.next_cursor
  }
}
