import type { AssertionResult } from '../../../engine/assertions/assertion.ts'
import type { Usage } from '../../../engine/providers/provider.ts'
import type { CaseDocument, RunDocument, RunSummary } from '../../../engine/runner/run-document.ts'

const assertion: Required<AssertionResult> = {
  kind: 'llm-rubric',
  status: 'pass',
  score: 0.9,
  weight: 2,
  reason: 'polite',
  details: { tone: 'warm' },
  criteria: { type: 'llm-rubric', value: 'Polite' },
  cached: true,
  cost_usd: 0.001,
}

const usage: Required<Usage> = {
  input_tokens: 5,
  output_tokens: 4,
  cache_read_tokens: 3,
  cache_write_tokens: 2,
  cache_write_1h_tokens: 1,
}

const cell: Required<CaseDocument['cell']> = { provider_id: 'bot', prompt_id: 'ask', test_id: 'a', repeat: 1 }

/** A case with every member of the type, in the order in which documents are written. */
export const COMPLETE_CASE: Required<CaseDocument> = {
  cell,
  case_key: 'blake3:aa',
  name: 'a name',
  tags: ['smoke'],
  vars: { order: 'A-77' },
  status: 'error',
  score: 0.5,
  output: { answer: '30 days' },
  prompt: { text: 'How long?' },
  request: { body: 1 },
  stop_reason: 'end',
  model: 'm',
  tool_calls: [{ arguments: { n: 1 }, id: 'c', name: 'look_up' }],
  raw: { id: 'x' },
  asserts: [assertion],
  usage,
  cost_usd: 0.002,
  latency_ms: 10,
  wall_ms: 12,
  cached: true,
  cache_key: 'ab',
  attempts: 2,
  prompt_digest: 'blake3:bb',
  provider_digest: 'blake3:cc',
  assert_digest: 'blake3:dd',
  error: 'lost',
  error_details: { status: 500 },
  error_class: 'provider_unavailable',
  reasoning: 'thought',
  empty_reason: 'refusal',
  answered_by_provider_id: 'spare',
  fallback_attempts: [{ empty_reason: 'refusal', error_class: 'provider_timeout', provider_id: 'bot' }],
  expect_fail_reason: 'known',
}

const summary: Required<RunSummary> = {
  total: 1,
  passed: 2,
  failed: 3,
  errored: 4,
  skipped: 5,
  xfailed: 6,
  xpassed: 7,
  prompt_tokens: 8,
  completion_tokens: 9,
  cost_usd: 0.1,
  cache_hits: 10,
  cache_misses: 11,
  retried_cases: 12,
  cache_read_tokens: 13,
  cache_write_tokens: 14,
  cache_savings_usd: 0.2,
  grader_cost_usd: 0.3,
  empty_counts: { refusal: 1 },
  fallback_cases: 15,
}

/** A run with every member of the type but its evidence, in the order in which documents are written. */
export const COMPLETE_RUN: Required<Omit<RunDocument, 'evidence_manifest'>> = {
  schema_version: 3,
  run_id: 'r',
  project: 'desk',
  suite: 'refunds',
  started_at: '2026-05-04T09:00:00Z',
  finished_at: '2026-05-04T09:00:12.3Z',
  config_digest: 'blake3:ee',
  config_snapshot: { version: 1 },
  git: { branch: 'main', commit: 'c0ffee', dirty: true } satisfies Required<RunDocument['git']>,
  ci: { provider: 'github', run_url: 'https://ci.example/8' } satisfies Required<RunDocument['ci']>,
  origin: {
    actor: 'ada',
    host: 'laptop',
    note: 'a note',
    redacted: true,
    version: '1.0.0',
  } satisfies Required<RunDocument['origin']>,
  digests: {
    asserts: 'blake3:01',
    grader: 'blake3:02',
    prompts: 'blake3:03',
    providers: 'blake3:04',
    tests: 'blake3:05',
  } satisfies Required<RunDocument['digests']>,
  share_url: 'https://results.example/runs/r',
  filters: { filters: ['a'], prompts: ['ask'], providers: ['bot'], tags: ['smoke'] } satisfies Required<
    RunDocument['filters']
  >,
  cases: [COMPLETE_CASE],
  summary,
}
