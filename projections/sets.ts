import { setKey } from '../domain/sets.ts'
import { MAX_COUNT } from '../domain/statistics/totals.ts'
import { insertRows, sql, statement, withValues, type Fragment } from '../storage/sql.ts'
import type { Statement } from '../storage/storage.ts'
import { attachedDocument } from './attached.ts'
import { projection } from './projection.ts'

const SERIES_COLUMNS = ['set_key', 'created_at', 'run_id', 'run_no', 'total', 'passed']

/**
 * Totals of every run set, and the points of its series. It reads `runs`, because a deletion counts the remaining rows
 * of that table.
 */
export const sets = projection(
  { name: 'sets', version: 2, tables: ['sets', 'suite_series'], reads: ['runs'] },
  {
    RunIngested: (recorded) => {
      const { run } = attachedDocument(recorded)
      const { run_no } = recorded.data
      const key = run.set_key
      if (key === null) return []
      return [
        insertRows('suite_series', SERIES_COLUMNS, [
          [key, run.created_at, run.id, run_no, run.case_count, run.pass_count],
        ]),
        statement`
          INSERT INTO sets (set_key, project, suite, run_count, case_count, pass_count, fail_count, error_count, empty_count)
          VALUES (${key}, ${run.project}, ${run.suite}, 1, ${run.case_count}, ${run.pass_count}, ${run.fail_count}, ${run.error_count}, ${run.empty_count})
          ${ADDED_TO_SET}`,
        updateLatestRun(key),
      ]
    },
    RunDeleted: ({ data }) => {
      const key = setKey(data)
      if (key === null) return []
      return [
        statement`DELETE FROM suite_series WHERE set_key = ${key} AND run_no = ${data.run_no}`,
        statement`DELETE FROM sets WHERE set_key = ${key}`,
        // A deletion is rare and its event has no counts, so the set is counted again.
        statement`
          INSERT INTO sets (set_key, project, suite, run_count, case_count, pass_count, fail_count, error_count, empty_count)
          SELECT set_key, min(project), min(suite), count(*), ${summed('case_count')}, ${summed('pass_count')},
            ${summed('fail_count')}, ${summed('error_count')},
            ${summed('empty_count')}
          FROM runs WHERE set_key = ${key} GROUP BY set_key`,
        updateLatestRun(key),
      ]
    },
  },
)

/** Limits a sum to the maximum of a total. */
const bounded = (sum: Fragment): Fragment =>
  sql.fragment`CASE WHEN ${sum} > ${MAX_COUNT} THEN ${MAX_COUNT} ELSE CAST(${sum} AS bigint) END`

/**
 * Sums a column, limited to the maximum of a total. It sums doubles, because a sum of 64-bit integers overflows after a
 * thousand of the largest counters. An inexact sum is above the limit anyway, because no counter is negative.
 */
const summed = (column: string): Fragment =>
  bounded(sql.fragment`sum(CAST(coalesce(${sql.identifier([column])}, 0) AS double precision))`)

// Built once, because every upload needs it.
const ADDED_TO_SET = sql.fragment`
  ON CONFLICT (set_key) DO UPDATE SET
    run_count = sets.run_count + 1,
    case_count = ${bounded(sql.fragment`sets.case_count + excluded.case_count`)},
    pass_count = ${bounded(sql.fragment`sets.pass_count + excluded.pass_count`)},
    fail_count = ${bounded(sql.fragment`sets.fail_count + excluded.fail_count`)},
    error_count = ${bounded(sql.fragment`sets.error_count + excluded.error_count`)},
    empty_count = ${bounded(sql.fragment`sets.empty_count + excluded.empty_count`)}`

const LATEST_RUN = sql.unsafe`
  UPDATE sets SET latest_run_no = (
    SELECT run_no FROM suite_series WHERE set_key = ${''} ORDER BY created_at DESC, run_id DESC LIMIT 1)
  WHERE set_key = ${''}`
const updateLatestRun = (key: string): Statement => withValues(LATEST_RUN, key, key)
