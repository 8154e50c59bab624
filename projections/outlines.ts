import { hash } from 'node:crypto'
import type { CaseFacts } from '../domain/run/case-columns.ts'
import { packMeasures } from '../domain/series/measures.ts'
import { packOutline } from '../domain/series/outline.ts'
import { insertRows, statement } from '../storage/sql.ts'
import { attachedDocument } from './attached.ts'
import { projection } from './projection.ts'

const COLUMNS = [
  'run_no',
  'run_id',
  'set_key',
  'provider_key',
  'git_branch',
  'created_at',
  'case_count',
  'pass_count',
  'outline',
  'measures',
]

/** The outline of each run that is in a suite, and what its cases measured, for reads over many of its runs. */
export const outlines = projection(
  { name: 'outlines', version: 2, tables: ['run_outlines'] },
  {
    RunIngested: (recorded) => {
      const { run, cases } = attachedDocument(recorded)
      const key = run.set_key
      if (key === null || run.suite === null) return []
      return [
        insertRows('run_outlines', COLUMNS, [
          [
            recorded.data.run_no,
            run.id,
            key,
            providerKey(cases),
            run.git_branch,
            run.created_at,
            run.case_count,
            run.pass_count,
            packOutline(cases),
            packMeasures(cases),
          ],
        ]),
      ]
    },
    RunDeleted: ({ data: { run_no } }) => [statement`DELETE FROM run_outlines WHERE run_no = ${run_no}`],
  },
)

/** A short key of the providers of a run, whatever their order. */
const providerKey = (cases: readonly CaseFacts[]): string =>
  hash('sha256', JSON.stringify([...new Set(cases.map(({ provider_id }) => provider_id))].sort()), 'hex').slice(0, 16)
