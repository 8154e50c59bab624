import type { RunEvent } from '../commands/run/events.ts'
import { setKey } from '../queries/visible.ts'
import { insertRows, sql, statement } from '../storage/sql.ts'
import type { Statement } from '../storage/storage.ts'
import { documentOf } from './attached.ts'
import { projection } from './projection.ts'

/** Totals of every run set, and the points of its series. Comes after `runs`, whose rows a deletion is told by. */
export const sets = projection<RunEvent>(
  { name: 'sets', version: 1, tables: ['sets', 'suite_series'] },
  {
    RunIngested: (recorded) => {
      const { run } = documentOf(recorded)
      const { run_no } = recorded.data
      const key = setKey(run)
      if (key === null) return []
      return [
        insertRows('suite_series', ['set_key', 'created_at', 'run_id', 'run_no', 'total', 'passed'], [[key, run.created_at, run.id, run_no, run.case_count, run.pass_count]]),
        statement`
          INSERT INTO sets (set_key, project, suite, run_count, case_count, pass_count, fail_count, error_count, empty_count)
          VALUES (${key}, ${run.project}, ${run.suite}, 1, ${run.case_count}, ${run.pass_count}, ${run.fail_count}, ${run.error_count}, ${run.empty_count})
          ON CONFLICT (set_key) DO UPDATE SET
            run_count = sets.run_count + 1,
            case_count = sets.case_count + excluded.case_count,
            pass_count = sets.pass_count + excluded.pass_count,
            fail_count = sets.fail_count + excluded.fail_count,
            error_count = sets.error_count + excluded.error_count,
            empty_count = sets.empty_count + excluded.empty_count`,
        latest(key),
      ]
    },
    RunDeleted: ({ data }) => {
      const key = setKey(data)
      if (key === null) return []
      return [
        statement`DELETE FROM suite_series WHERE set_key = ${key} AND run_no = ${data.run_no}`,
        statement`DELETE FROM sets WHERE set_key = ${key}`,
        // A deletion is rare and its event holds no counts: the set is counted again.
        statement`
          INSERT INTO sets (set_key, project, suite, run_count, case_count, pass_count, fail_count, error_count, empty_count)
          SELECT set_key, min(project), min(suite), count(*), sum(case_count), sum(pass_count), sum(fail_count), sum(error_count), sum(coalesce(empty_count, 0))
          FROM runs WHERE set_key = ${key} GROUP BY set_key`,
        latest(key),
      ]
    },
  },
)

const latest = (key: string): Statement => {
  const newest = sql.fragment`SELECT run_no FROM suite_series WHERE set_key = ${key} ORDER BY created_at DESC, run_id DESC LIMIT 1`
  return statement`UPDATE sets SET latest_run_no = (${newest}) WHERE set_key = ${key}`
}
