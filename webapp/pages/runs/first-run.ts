/** A small run document with one case that finished at `finishedAt`; the command on the empty page uploads it. */
const exampleDocument = (finishedAt: Date): string =>
  JSON.stringify({
    schema_version: 3,
    run_id: `example-${finishedAt.getTime()}`,
    project: 'example',
    suite: 'first',
    started_at: finishedAt.toISOString(),
    finished_at: finishedAt.toISOString(),
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
  })

/**
 * The shell command that uploads the example run to a server. `key` is an API key; null if the server needs none.
 */
export const uploadCommand = (origin: string, key: string | null, finishedAt: Date): string =>
  [
    `curl ${origin}/api/v1/runs`,
    ...(key === null ? [] : [`  -H 'Authorization: Bearer ${key}'`]),
    `  -H 'Content-Type: application/json'`,
    // The document contains no single quote.
    `  -d '${exampleDocument(finishedAt)}'`,
  ].join(' \\\n')
