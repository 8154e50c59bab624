import type { ComparisonStatistics } from '../../../../queries/statistics/comparison-statistics.ts'

const side = (id: string, passed: number): ComparisonStatistics['base'] => ({
  id,
  project: 'chat',
  suite: 'smoke',
  note: `run ${id}`,
  created_at: '2026-05-04T09:00:00Z',
  case_count: 24,
  pass_rate: { passed, total: 24, rate: passed / 24, lower: 0, upper: 1 },
  providers: [`provider ${id}`],
  prompts: ['terse'],
  models: [],
  cost: { systems_usd: null, missing: 0, grading_usd: null },
  plan_id: null,
})
const unknown = { pairs: 0, base_median: null, head_median: null, base_total: null, head_total: null }

/** Two runs with 24 common cases, of which 2 got worse and 6 better. */
export const someStatistics = (changes: Partial<ComparisonStatistics> = {}): ComparisonStatistics => ({
  base: side('a', 16),
  head: side('b', 20),
  joined_by: 'case_key',
  same_suite: true,
  shared: { cases: 24, base_share: 1, head_share: 1, base_only: 0, head_only: 0 },
  verdict: 'no_clear_change',
  pairs: 24,
  worse: 2,
  better: 6,
  p_value: 0.2890625,
  mid_p: 0.18,
  difference: { estimate: 1 / 6, lower: -0.0771, upper: 0.3848 },
  still_passing: 14,
  still_failing: 2,
  left_out: 0,
  left_out_by: {
    passed_then_neutral: 0,
    failed_then_neutral: 0,
    neutral_then_passed: 0,
    neutral_then_failed: 0,
    neutral_in_both: 0,
  },
  assumes_independence: false,
  base_pairs: { passed: 16, total: 24, rate: 16 / 24, lower: 0.467, upper: 0.82 },
  head_pairs: { passed: 20, total: 24, rate: 20 / 24, lower: 0.641, upper: 0.933 },
  noticeable: { discordance: 1 / 3, smallest_difference: 0.3142, pairs_needed: 92 },
  scores: null,
  clustered: { by: 'test', passes: null, scores: null },
  latency_ms: { pairs: 24, base_median: 50_672, head_median: 246_861, base_total: 1_464_253, head_total: 6_620_172 },
  input_tokens: unknown,
  output_tokens: unknown,
  cost_usd: unknown,
  ...changes,
})
