import type { ExecProvider, ExpandedTest, LoadedSuite, ProviderSpec, Suite } from '../../../engine/suite/suite.ts'

/** An exec provider, which needs no key. */
export const provider = (id: string, more: Partial<ExecProvider> = {}): ProviderSpec => ({
  id,
  type: 'exec',
  command: ['bot'],
  env: {},
  timeout_ms: 60_000,
  fallback: [],
  fallback_only: false,
  ...more,
})

export const test = (id: string, more: Partial<ExpandedTest> = {}): ExpandedTest => ({
  id,
  source: id,
  tags: [],
  vars: {},
  assert: [],
  ...more,
})

/** A suite with one exec provider `bot` and the defaults of everything else. */
export const suite = (more: Partial<Suite> = {}): Suite => ({
  version: 1,
  providers: [provider('bot')],
  prompts: [],
  tools: [],
  tests: [{ kind: 'files', glob: 'file://tests.yaml' }],
  runner: {
    concurrency: 1,
    retries: { max: 2, initial_ms: 500, max_ms: 8000, jitter: false, retry_after_max_ms: 120_000 },
    short_circuit: true,
    skip_on_empty_reason: [],
    refusal_patterns: [],
    fallback_on_empty_reason: ['refusal', 'content_filter'],
  },
  cache: { backend: 'disk', store_empty_outputs: 'reproducible', grader: true },
  ...more,
})

export const loaded = (more: Partial<Suite> = {}): LoadedSuite => ({
  file: 'service.yaml',
  directory: '/suite',
  suite: suite(more),
  snapshot: {},
  warnings: [],
})
