import type { RunIngested } from '../commands/run/events.ts'
import { storedTable, type OwnCells } from '../domain/run/column.ts'
import { runColumns, runListItem, RUNS_VERSION } from '../domain/run/run-columns.ts'
import type { Recorded } from '../storage/command.ts'
import { insertRows, statement } from '../storage/sql.ts'
import { attachedDocument, attachedRecord } from './attached.ts'
import { projection } from './projection.ts'

const table = storedTable(runColumns)
const TAG_COLUMNS = ['tag', 'created_at', 'id', 'run_no']
const CONFIG_COLUMNS = ['run_no', 'raw_length', 'bytes']

/** The run list, run detail, and each run's configuration. */
export const runs = projection(
  // Rows of earlier versions have no list item.
  { name: 'runs', version: RUNS_VERSION, readableFrom: 3, tables: ['runs', 'run_tags', 'run_configs'] },
  {
    RunIngested: (recorded) => {
      const { run, configBytes } = attachedDocument(recorded)
      const { run_no } = recorded.data
      return [
        insertRows('runs', table.names, [table.row(run, ownCells(recorded))]),
        insertRows(
          'run_tags',
          TAG_COLUMNS,
          run.tags.map((tag) => [tag, run.created_at, run.id, run_no]),
        ),
        insertRows('run_configs', CONFIG_COLUMNS, [[run_no, Buffer.byteLength(run.config), configBytes]]),
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

/** The columns of a run that its document does not have. */
const ownCells = (recorded: Recorded<RunIngested>): OwnCells<typeof runColumns> => {
  const { data, recorded_at, actor } = recorded
  return {
    run_no: data.run_no,
    uploaded_at: recorded_at,
    uploaded_by: actor.user_id ?? actor.credential_id,
    document_sha256: data.document_sha256,
    document_bytes: data.document_bytes,
    hidden_cases: data.hidden_cases ?? null,
    list_item: runListItem(attachedDocument(recorded).run),
  }
}
