import { caseKey } from '../../../domain/run/case-key.ts'
import type { CaseDocument, RunDocument } from '../../../engine/runner/run-document.ts'
import { summarize } from '../../../engine/runner/summary.ts'

/** A case of a run, as the engine writes it: it passed, unless `more` says otherwise. */
export const engineCase = (
  test_id: string,
  {
    provider_id = 'fast-model',
    repeat = 0,
    ...more
  }: Partial<CaseDocument> & { provider_id?: string; repeat?: number } = {},
): CaseDocument => {
  const cell = { provider_id, prompt_id: 'terse', test_id, repeat }
  return {
    cell,
    case_key: caseKey(cell),
    status: 'pass',
    score: more.status === undefined || more.status === 'pass' || more.status === 'xpass' ? 1 : 0,
    output: `an answer to ${test_id}`,
    asserts: [],
    latency_ms: 350,
    cached: false,
    attempts: 1,
    ...more,
  }
}

/** A run of the suite `refunds` in `support-desk`, with the totals of its cases. */
export const engineRun = (
  run_id: string,
  cases: readonly CaseDocument[],
  { summary, ...more }: Omit<Partial<RunDocument>, 'summary'> & { summary?: Partial<RunDocument['summary']> } = {},
): RunDocument => ({
  schema_version: 3,
  run_id,
  project: 'support-desk',
  suite: 'refunds',
  started_at: '2026-05-04T09:00:00Z',
  finished_at: '2026-05-04T09:00:12.3Z',
  config_digest: 'blake3:5d1f5d1f5d1f',
  config_snapshot: {},
  filters: {},
  cases,
  summary: { ...summarize(cases), ...summary },
  ...more,
})
