import type { RunIngested } from '../commands/run/events.ts'
import { isFullyCached } from '../commands/run/stored-run.ts'
import { RunRow } from '../domain/run/columns.ts'
import { runListItem } from '../domain/run/list-item.ts'
import { setKey } from '../domain/sets.ts'
import type { Recorded } from '../storage/command.ts'
import { insertRows, statement } from '../storage/sql.ts'
import type { Value } from '../storage/storage.ts'
import { attachedDocument, attachedRecord } from './attached.ts'
import { projection } from './projection.ts'

const COLUMNS = RunRow.keyof().options

/** The run list, run detail, and each run's configuration. */
export const runs = projection(
  { name: 'runs', version: 4, tables: ['runs', 'run_tags', 'run_configs'] },
  {
    RunIngested: (recorded) => {
      const { run, configBytes } = attachedDocument(recorded)
      const { run_no } = recorded.data
      const row = runRow(recorded)
      return [
        insertRows('runs', COLUMNS, [COLUMNS.map((column) => row[column])]),
        insertRows(
          'run_tags',
          ['tag', 'created_at', 'id', 'run_no'],
          run.tags.map((tag) => [tag, run.created_at, run.id, run_no]),
        ),
        insertRows(
          'run_configs',
          ['run_no', 'raw_length', 'bytes'],
          [[run_no, Buffer.byteLength(run.config), configBytes]],
        ),
      ]
    },
    RunDeleted: ({ data: { run_no } }) => [
      statement`DELETE FROM runs WHERE run_no = ${run_no}`,
      statement`DELETE FROM run_tags WHERE run_no = ${run_no}`,
      statement`DELETE FROM run_configs WHERE run_no = ${run_no}`,
    ],
    EventErased: (recorded) => {
      const { kept } = recorded.data
      if (kept === null || attachedRecord(recorded).type !== 'RunIngested') return []
      const { run_no } = kept.data as RunIngested['data']
      return [statement`UPDATE runs SET uploaded_by = NULL WHERE run_no = ${run_no}`]
    },
  },
)

/**
 * The row of a run. The facts of the run are stored in columns of the same names. The fields after `...run` are
 * derived, or replace a fact with its encoded form.
 */
const runRow = (recorded: Recorded<RunIngested>): Readonly<Record<keyof RunRow, Value>> => {
  const { run, cases } = attachedDocument(recorded)
  const { data, recorded_at, actor } = recorded
  return {
    ...run,
    run_no: data.run_no,
    set_key: setKey(run),
    uploaded_at: recorded_at,
    uploaded_by: actor.user_id ?? actor.credential_id,
    document_sha256: data.document_sha256,
    document_bytes: data.document_bytes,
    empty_counts: JSON.stringify(run.empty_counts),
    assert_labels: JSON.stringify(run.assert_labels),
    tags: JSON.stringify(run.tags),
    digests: JSON.stringify(run.digests),
    fully_cached: isFullyCached(run),
    // A stale expect_fail marker makes a run fail.
    failing: run.fail_count > 0 || run.xpass_count > 0,
    erroring: run.error_count > 0,
    stored_cases: cases.length,
    hidden_cases: data.hidden_cases ?? null,
    largest_asserts: cases.reduce((largest, { asserts }) => Math.max(largest, asserts.length), 0),
    list_item: runListItem(run),
  }
}
