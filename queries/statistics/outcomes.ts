import type { z } from 'zod'
import { CaseRow } from '../../domain/run/columns.ts'
import { any, sql } from '../../storage/sql.ts'
import type { Query, Reader } from '../../storage/storage.ts'
import type { Viewer } from '../access/viewer.ts'
import { columnsOf } from '../columns.ts'
import { findRun } from '../runs/run.ts'

/** The maximum number of cases of all runs of one comparison. */
export const MAX_COMPARED_CASES = 200_000

/** Rows that one query reads. */
const ROWS_PER_QUERY = 5_000

/** The columns of a case that the statistics need. */
const OutcomeRow = CaseRow.pick({
  n: true,
  case_key: true,
  name: true,
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
  tags: true,
  document_offset: true,
  document_length: true,
})
export type OutcomeRow = z.infer<typeof OutcomeRow>
const COLUMNS = columnsOf('cases', OutcomeRow)

const listOutcomes = (run_no: number, after: number): Query<OutcomeRow[]> =>
  any(
    sql.type(
      OutcomeRow,
    )`SELECT ${COLUMNS} FROM cases WHERE run_no = ${run_no} AND n > ${after} ORDER BY n LIMIT ${ROWS_PER_QUERY}`,
  )

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
