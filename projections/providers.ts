import { setKey } from '../domain/sets.ts'
import { insertRows, sql, statement } from '../storage/sql.ts'
import { attachedDocument } from './attached.ts'
import { projection } from './projection.ts'

const COLUMNS = ['provider_id', 'created_at', 'id', 'run_no']

/** The key of runs that are in no run set. */
const NO_SET = ''

/** The providers of each run, and the number of runs that each provider has in a run set. */
export const providers = projection(
  { name: 'providers', version: 1, tables: ['run_providers', 'set_providers'] },
  {
    RunIngested: (recorded) => {
      const { run } = attachedDocument(recorded)
      const { run_no } = recorded.data
      const key = run.set_key ?? NO_SET
      return [
        insertRows(
          'run_providers',
          COLUMNS,
          run.providers.map((provider) => [provider, run.created_at, run.id, run_no]),
        ),
        statement`
          INSERT INTO set_providers (set_key, provider_id, run_count)
          SELECT ${key}, provider_id, 1 FROM run_providers WHERE run_no = ${run_no}
          ON CONFLICT (set_key, provider_id) DO UPDATE SET run_count = set_providers.run_count + 1`,
      ]
    },
    RunDeleted: ({ data }) => {
      const key = setKey(data) ?? NO_SET
      const ofRun = sql.fragment`
        set_key = ${key} AND provider_id IN (SELECT run_providers.provider_id FROM run_providers WHERE run_no = ${data.run_no})`
      return [
        statement`UPDATE set_providers SET run_count = run_count - 1 WHERE ${ofRun}`,
        statement`DELETE FROM set_providers WHERE ${ofRun} AND run_count = 0`,
        statement`DELETE FROM run_providers WHERE run_no = ${data.run_no}`,
      ]
    },
  },
)
