import { zstdCompressSync } from 'node:zlib'
import type { RunEvent, RunIngested } from '../commands/run/events.ts'
import type { RunFacts } from '../domain/run/facts.ts'
import { setKey } from '../domain/sets.ts'
import type { Recorded } from '../storage/command.ts'
import { insertRows, statement } from '../storage/sql.ts'
import type { Value } from '../storage/storage.ts'
import { documentOf } from './attached.ts'
import { projection } from './projection.ts'

/** The run list, run detail, and each run's configuration. */
export const runs = projection<RunEvent>(
  { name: 'runs', version: 2, tables: ['runs', 'run_tags', 'run_configs'] },
  {
    RunIngested: (recorded) => {
      const { run } = documentOf(recorded)
      const { run_no } = recorded.data
      const row = runRow(recorded)
      const config = Buffer.from(run.config)
      return [
        insertRows('runs', Object.keys(row), [Object.values(row)]),
        insertRows(
          'run_tags',
          ['tag', 'created_at', 'id', 'run_no'],
          run.tags.map((tag) => [tag, run.created_at, run.id, run_no]),
        ),
        insertRows(
          'run_configs',
          ['run_no', 'raw_length', 'bytes'],
          [[run_no, config.length, zstdCompressSync(config)]],
        ),
      ]
    },
    RunDeleted: ({ data: { run_no } }) => [
      statement`DELETE FROM runs WHERE run_no = ${run_no}`,
      statement`DELETE FROM run_tags WHERE run_no = ${run_no}`,
      statement`DELETE FROM run_configs WHERE run_no = ${run_no}`,
    ],
  },
)

/** Whether a run called no provider at all. The verdict plays no part; a run without cases is not. */
export const isFullyCached = ({ cache_hits, cache_misses }: RunFacts): boolean => cache_misses === 0 && cache_hits > 0

const runRow = (recorded: Recorded<RunIngested>): Record<string, Value> => {
  const { run, cases } = documentOf(recorded)
  const { data, recorded_at, actor } = recorded
  return {
    run_no: data.run_no,
    id: run.id,
    set_key: setKey(run),
    project: run.project,
    suite: run.suite,
    created_at: run.created_at,
    uploaded_at: recorded_at,
    uploaded_by: actor.user_id ?? actor.credential_id,
    schema_version: run.schema_version,
    content_hash: run.content_hash,
    hash_version: run.hash_version,
    document_sha256: data.document_sha256,
    document_bytes: data.document_bytes,
    config_digest: run.config_digest,
    git_branch: run.git_branch,
    git_commit: run.git_commit,
    git_dirty: run.git_dirty,
    case_count: run.case_count,
    pass_count: run.pass_count,
    fail_count: run.fail_count,
    error_count: run.error_count,
    xfail_count: run.xfail_count,
    xpass_count: run.xpass_count,
    prompt_tokens: run.prompt_tokens,
    completion_tokens: run.completion_tokens,
    cost_micro: run.cost_micro,
    grader_cost_micro: run.grader_cost_micro,
    cache_savings_micro: run.cache_savings_micro,
    duration_ms: run.duration_ms,
    cache_hits: run.cache_hits,
    cache_misses: run.cache_misses,
    cache_read_tokens: run.cache_read_tokens,
    cache_write_tokens: run.cache_write_tokens,
    empty_count: run.empty_count,
    empty_counts: JSON.stringify(run.empty_counts),
    assert_labels: JSON.stringify(run.assert_labels),
    actor: run.actor,
    host: run.host,
    ci_provider: run.ci_provider,
    ci_run_url: run.ci_run_url,
    note: run.note,
    service_version: run.service_version,
    tags: JSON.stringify(run.tags),
    digests: JSON.stringify(run.digests),
    fully_cached: isFullyCached(run),
    // A stale expect_fail marker makes a run fail.
    failing: run.fail_count > 0 || run.xpass_count > 0,
    erroring: run.error_count > 0,
    stored_cases: cases.length,
    largest_asserts: cases.reduce((most, { asserts }) => Math.max(most, asserts.length), 0),
  }
}
