/** A small, complete run document: one test of one provider. */
export const EXAMPLE = {
  schema_version: 3,
  run_id: 'example-1',
  project: 'example',
  suite: 'first',
  started_at: '2026-01-31T12:00:00Z',
  finished_at: '2026-01-31T12:00:02Z',
  config_digest: '',
  config_snapshot: null,
  cases: [
    {
      cell: { provider_id: 'model', test_id: 'greeting' },
      case_key: 'greeting',
      status: 'pass',
      score: 1,
      output: 'Hello!',
      latency_ms: 120,
    },
  ],
  summary: { total: 1, passed: 1, failed: 0, errored: 0, skipped: 0 },
}
