import type { RunEvent } from '../commands/run/events.ts'
import type { CaseFacts } from '../domain/run/facts.ts'
import { tagText } from '../domain/run/tags.ts'
import { insertRows, statement } from '../storage/sql.ts'
import type { Value } from '../storage/storage.ts'
import { documentOf } from './attached.ts'
import { projection } from './projection.ts'

const COLUMNS = [
  'run_no',
  'n',
  'history_key',
  'created_at',
  'case_key',
  'name',
  'status',
  'score',
  'provider_id',
  'prompt_id',
  'test_id',
  'repeat',
  'stop_reason',
  'error',
  'error_class',
  'empty_reason',
  'answered_by_provider_id',
  'cached',
  'cache_key',
  'prompt_tokens',
  'completion_tokens',
  'cost_micro',
  'latency_ms',
  'output_hash',
  'output_preview',
  'asserts',
  'tags',
  'prompt_digest',
  'provider_digest',
  'assert_digest',
  'document_offset',
  'document_length',
] as const

/** Lean case rows: lists, compare, history and the place of each case in its document. */
export const cases = projection<RunEvent>(
  { name: 'cases', version: 1, tables: ['cases'] },
  {
    RunIngested: (recorded) => {
      const { run, cases: found } = documentOf(recorded)
      return [insertRows('cases', COLUMNS, rows(recorded.data.run_no, run.created_at, found))]
    },
    RunDeleted: ({ data: { run_no } }) => [statement`DELETE FROM cases WHERE run_no = ${run_no}`],
  },
)

function* rows(run_no: number, created_at: number, found: readonly CaseFacts[]): Generator<Value[]> {
  for (const each of found)
    yield [
      run_no,
      each.n,
      each.history_key,
      created_at,
      each.case_key,
      each.name,
      each.status,
      each.score,
      each.provider_id,
      each.prompt_id,
      each.test_id,
      each.repeat,
      each.stop_reason,
      each.error,
      each.error_class,
      each.empty_reason,
      each.answered_by_provider_id,
      each.cached,
      each.cache_key,
      each.prompt_tokens,
      each.completion_tokens,
      each.cost_micro,
      each.latency_ms,
      each.output_hash === null ? null : Buffer.from(each.output_hash, 'hex'),
      each.output_preview,
      JSON.stringify(each.asserts),
      tagText(each.tags),
      each.prompt_digest,
      each.provider_digest,
      each.assert_digest,
      each.document_offset,
      each.document_length,
    ]
}
