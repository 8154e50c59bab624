import { caseColumns, CASES_VERSION, type CaseFacts } from '../domain/run/case-columns.ts'
import { storedTable, type OwnCells } from '../domain/run/column.ts'
import type { HiddenCase } from '../domain/run/prepare.ts'
import { insertRows, statement } from '../storage/sql.ts'
import type { Value } from '../storage/storage.ts'
import { attachedDocument } from './attached.ts'
import { projection } from './projection.ts'

const table = storedTable(caseColumns)
const HIDDEN_COLUMNS = ['run_no', 'n', 'hidden_by', 'provider_id', 'document_offset', 'document_length'] as const

/** Small case rows, for lists, comparison and history, with the position of each case in its document. */
export const cases = projection(
  { name: 'cases', version: CASES_VERSION, tables: ['cases', 'hidden_cases'] },
  {
    RunIngested: (recorded) => {
      const { run, cases: caseFacts, hidden } = attachedDocument(recorded)
      const { run_no, hidden_cases = 0 } = recorded.data
      return [
        insertRows('cases', table.names, rows(caseFacts, { run_no, created_at: run.created_at })),
        // Events of earlier versions say nothing of hidden cases. A replay stores none for them, as those versions did.
        ...(hidden_cases === 0 ? [] : [insertRows('hidden_cases', HIDDEN_COLUMNS, hiddenRows(run_no, hidden))]),
      ]
    },
    RunDeleted: ({ data: { run_no } }) => [
      statement`DELETE FROM cases WHERE run_no = ${run_no}`,
      statement`DELETE FROM hidden_cases WHERE run_no = ${run_no}`,
    ],
  },
)

function* rows(cases: readonly CaseFacts[], own: OwnCells<typeof caseColumns>): Generator<Value[]> {
  for (const facts of cases) yield table.row(facts, own)
}

function* hiddenRows(run_no: number, hidden: readonly HiddenCase[]): Generator<Value[]> {
  for (const row of hidden) yield HIDDEN_COLUMNS.map((column) => (column === 'run_no' ? run_no : row[column]))
}
