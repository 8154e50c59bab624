import { canonicalJson } from '../domain/run/canonical-json.ts'
import { setKey } from '../domain/sets.ts'
import { insertRows, statement } from '../storage/sql.ts'
import { attachedDocument } from './attached.ts'
import { projection } from './projection.ts'

const COLUMNS = [
  'run_no',
  'slot',
  'set_key',
  'created_at',
  'run_id',
  'kind',
  'metric',
  'judge_id',
  'judge',
  'passed',
  'failed',
  'other',
]

/** The judges of each run with their verdicts, and which code counts as a judge. */
export const judges = projection(
  { name: 'judges', version: 2, tables: ['run_judges', 'judged_cases', 'declared_judges'] },
  {
    RunIngested: (recorded) => {
      const { run, judges: slots } = attachedDocument(recorded)
      const { run_no } = recorded.data
      if (slots.length === 0) return []
      const key = run.suite === null ? null : run.set_key
      return [
        insertRows(
          'run_judges',
          COLUMNS,
          slots.map(({ kind, metric, judge_id, judge, passed, failed, other }, slot) => [
            ...[run_no, slot, key, run.created_at, run.id, kind, metric, judge_id, canonicalJson(judge)],
            ...[passed, failed, other],
          ]),
        ),
        insertRows(
          'judged_cases',
          ['run_no', 'slot', 'cases'],
          slots.map(({ cases }, slot) => [run_no, slot, cases]),
        ),
      ]
    },
    RunDeleted: ({ data: { run_no } }) => [
      statement`DELETE FROM run_judges WHERE run_no = ${run_no}`,
      statement`DELETE FROM judged_cases WHERE run_no = ${run_no}`,
    ],
    JudgeDeclared: ({ data: { project, suite, metric, is_judge } }) => {
      const key = setKey({ project, suite })
      return [
        statement`DELETE FROM declared_judges WHERE set_key = ${key} AND metric = ${metric}`,
        ...(is_judge ? [statement`INSERT INTO declared_judges (set_key, metric) VALUES (${key}, ${metric})`] : []),
      ]
    },
  },
)
