/** A small run document of one case that ended at `at`: what the command on an empty page uploads. */
const exampleDocument = (at: Date): string =>
  JSON.stringify({
    schema_version: 3,
    run_id: `example-${at.getTime()}`,
    project: 'example',
    suite: 'first',
    started_at: at.toISOString(),
    finished_at: at.toISOString(),
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
 * The shell command that uploads the example run to a server. `key` is a credential; null where the server asks for
 * none.
 */
export const uploadCommand = (origin: string, key: string | null, at: Date): string =>
  [
    `curl ${origin}/api/v1/runs`,
    ...(key === null ? [] : [`  -H 'Authorization: Bearer ${key}'`]),
    `  -H 'Content-Type: application/json'`,
    // No single quote is in the document.
    `  -d '${exampleDocument(at)}'`,
  ].join(' \\\n')
