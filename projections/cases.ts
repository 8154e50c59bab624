import { CaseRow } from '../domain/run/case-columns.ts'
import type { CaseFacts, HiddenCase } from '../domain/run/facts.ts'
import { tagText } from '../domain/run/tags.ts'
import { insertRows, statement } from '../storage/sql.ts'
import type { Value } from '../storage/storage.ts'
import { attachedDocument } from './attached.ts'
import { projection } from './projection.ts'

const COLUMNS = CaseRow.keyof().options
const HIDDEN_COLUMNS = ['run_no', 'n', 'hidden_by', 'provider_id', 'document_offset', 'document_length'] as const

/** Small case rows, for lists, comparison and history, with the position of each case in its document. */
export const cases = projection(
  { name: 'cases', version: 4, tables: ['cases', 'hidden_cases'] },
  {
    RunIngested: (recorded) => {
      const { run, cases: caseFacts, hidden } = attachedDocument(recorded)
      const { run_no, hidden_cases = 0 } = recorded.data
      return [
        insertRows('cases', COLUMNS, rows(run_no, run.created_at, caseFacts)),
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

function* rows(run_no: number, created_at: number, cases: readonly CaseFacts[]): Generator<Value[]> {
  for (const facts of cases) {
    const row = caseRow(run_no, created_at, facts)
    yield COLUMNS.map((column) => row[column])
  }
}

function* hiddenRows(run_no: number, hidden: readonly HiddenCase[]): Generator<Value[]> {
  for (const row of hidden) yield HIDDEN_COLUMNS.map((column) => (column === 'run_no' ? run_no : row[column]))
}

/**
 * The row of a case. The facts of the case are stored in columns of the same names. The fields after `...facts` belong
 * to its run, or replace a fact with its encoded form.
 */
const caseRow = (run_no: number, created_at: number, facts: CaseFacts): Readonly<Record<keyof CaseRow, Value>> => ({
  ...facts,
  run_no,
  created_at,
  output_hash: facts.output_hash === null ? null : Buffer.from(facts.output_hash, 'hex'),
  asserts: JSON.stringify(facts.asserts),
  tags: tagText(facts.tags),
})
