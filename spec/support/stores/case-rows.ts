import type { CaseListItem } from '../../../queries/cases/cases.ts'

/** A row of a run's case list. */
export const aRow = (fields: Partial<CaseListItem> = {}): CaseListItem => ({
  case_key: 'k',
  idx: 0,
  name: null,
  status: 'pass',
  output_preview: null,
  asserts: [],
  prompt_tokens: null,
  completion_tokens: null,
  cost_usd: null,
  latency_ms: null,
  provider_id: 'model',
  prompt_id: null,
  test_id: 'test',
  repeat: 0,
  score: 1,
  stop_reason: null,
  cached: false,
  error: null,
  error_class: null,
  ...fields,
})
