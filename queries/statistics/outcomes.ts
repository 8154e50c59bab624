import type { z } from 'zod'
import { CaseRow } from '../../domain/run/case-columns.ts'
import { isInColumn, unknownColumn, type Column } from '../../domain/lists/column.ts'
import { any, constant, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { BadParameter } from '../bad-parameter.ts'
import { columnList } from '../columns.ts'
import { findRun } from '../runs/run.ts'

/** Two runs that are compared, or a column of each. The runs may be the same one. */
export type ComparedPair = {
  readonly base: string
  readonly head: string
  readonly base_column?: Column | undefined
  readonly head_column?: Column | undefined
}

/** The maximum number of cases of all runs of one comparison. */
export const MAX_COMPARED_CASES = 200_000

/** Rows that one query reads. */
const ROWS_PER_QUERY = 5_000

/** The columns of a case that the statistics need. */
export const OutcomeRow = CaseRow.pick({
  n: true,
  case_key: true,
  status: true,
  score: true,
  provider_id: true,
  prompt_id: true,
  test_id: true,
  repeat: true,
  latency_ms: true,
  prompt_tokens: true,
  completion_tokens: true,
  cost_micro: true,
  cached: true,
})
export type OutcomeRow = z.infer<typeof OutcomeRow>
const COLUMNS = columnList('cases', OutcomeRow)

const listOutcomes = (run_no: number, after: number): Query<OutcomeRow[]> =>
  any(
    sql.type(OutcomeRow)`
      SELECT ${COLUMNS} FROM cases
      WHERE run_no = ${run_no} AND n > ${after}
      ORDER BY n LIMIT ${ROWS_PER_QUERY}`,
  )

const Tags = CaseRow.pick({ n: true, tags: true })
const Label = CaseRow.pick({ n: true, name: true, tags: true })
export type Label = z.infer<typeof Label>
const Model = CaseRow.pick({ model: true })
const Span = CaseRow.pick({ n: true, document_offset: true, document_length: true })
type Span = z.infer<typeof Span>

/** The tags of all cases of a run, by the number of the case. */
export const readTags = async (reader: Reader, run_no: number): Promise<ReadonlyMap<number, string | null>> =>
  new Map(
    (await reader.read(any(sql.type(Tags)`SELECT n, tags FROM cases WHERE run_no = ${run_no}`))).map((row) => [
      row.n,
      row.tags,
    ]),
  )

/** Where all cases of a run are in its document, in their order. */
export const readSpans = (reader: Reader, run_no: number): Promise<Span[]> =>
  reader.read(any(sql.type(Span)`SELECT ${columnList('cases', Span)} FROM cases WHERE run_no = ${run_no} ORDER BY n`))

/** Cases that one query reads by their numbers. The list is padded, so that all such queries share one text. */
const NUMBERS_PER_QUERY = 500
const numbered = (numbers: readonly number[]) =>
  sql.join(
    Array.from({ length: NUMBERS_PER_QUERY }, (_, i) => numbers[i] ?? -1),
    sql.fragment`, `,
  )

/** The names and tags of at most 500 cases of a run. */
export const listLabels = (run_no: number, numbers: readonly number[]): Query<Label[]> =>
  numbers.length === 0
    ? constant([])
    : any(sql.type(Label)`SELECT n, name, tags FROM cases WHERE run_no = ${run_no} AND n IN (${numbered(numbers)})`)

/** The models of at most 500 cases of a run, in the order of the cases. */
export const listModels = (run_no: number, numbers: readonly number[]): Query<Array<z.infer<typeof Model>>> =>
  numbers.length === 0
    ? constant([])
    : any(sql.type(Model)`SELECT model FROM cases WHERE run_no = ${run_no} AND n IN (${numbered(numbers)}) ORDER BY n`)

/** The cases of a run in the order of its document; null if the run was deleted or replaced meanwhile. */
export const readOutcomes = async (
  reader: Reader,
  viewer: Viewer,
  { run_no, id }: { readonly run_no: number; readonly id: string },
): Promise<OutcomeRow[] | null> => {
  const outcomes: OutcomeRow[] = []
  for (let after = -1; ;) {
    const rows = await reader.read(listOutcomes(run_no, after))
    for (const row of rows) outcomes.push(row)
    const last = rows.at(-1)
    if (!last || rows.length < ROWS_PER_QUERY) break
    after = last.n
  }
  return (await reader.read(findRun(viewer, id)))?.run_no === run_no ? outcomes : null
}

/**
 * The same for one column of the run, or for all of the run without a column. Throws `BadParameter`, which names the
 * parameter, for a column without a case.
 */
export const readColumn = async (
  reader: Reader,
  viewer: Viewer,
  run: { readonly run_no: number; readonly id: string },
  parameter: string,
  column: Column | undefined,
): Promise<OutcomeRow[] | null> => {
  const outcomes = await readOutcomes(reader, viewer, run)
  if (!outcomes || !column) return outcomes
  const inColumn = outcomes.filter((outcome) => isInColumn(outcome, column))
  if (inColumn.length > 0) return inColumn
  throw new BadParameter(`${parameter}: ${unknownColumn(column, outcomes)}`)
}
