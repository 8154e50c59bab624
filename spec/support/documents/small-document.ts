import { caseKey } from '../../../domain/run/case-key.ts'

/** Returns a run document with a few plain cases, each with `word` in its output: for specs that count and search. */
export const smallDocument = (
  run_id: string,
  { cases = 3, word = 'plain', suite = 'smoke', at = '2026-05-04T09:00:00Z' } = {},
): string => {
  const caseList = Array.from({ length: cases }, (_, i) => {
    const cell = { provider_id: 'model', prompt_id: 'terse', test_id: `test-${i}`, repeat: 0 }
    return {
      cell,
      case_key: caseKey(cell),
      status: i % 3 === 2 ? 'fail' : 'pass',
      score: i % 3 === 2 ? 0 : 1,
      output: `answer ${i} of ${run_id}: ${word}`,
      asserts: [
        { kind: 'contains', status: i % 3 === 2 ? 'fail' : 'pass', score: 1, weight: 1, reason: `looked for ${word}` },
      ],
      latency_ms: 10 + i,
    }
  })
  const failed = caseList.filter(({ status }) => status === 'fail').length
  return JSON.stringify({
    schema_version: 3,
    run_id,
    project: 'chat',
    suite,
    started_at: at,
    finished_at: at,
    config_digest: '',
    config_snapshot: null,
    cases: caseList,
    summary: { total: cases, passed: cases - failed, failed, errored: 0, skipped: 0 },
  })
}
