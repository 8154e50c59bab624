import { expect, it } from 'vitest'
import type { Line } from '../../../../../webapp/pages/run/leaderboard/lines.ts'
import { statRows } from '../../../../../webapp/pages/run/matrix/stats.ts'

type Against = NonNullable<Line['against_base']>
const against = (values: Partial<Against>): Against => ({
  ...{ verdict: 'no_clear_change', pairs: 24, worse: 3, better: 1, p_value: 0.6, mid_p: 0.5 },
  ...{ difference: null, shared: 24, adjusted_p: 0.5, removed_by_adjustment: false },
  ...values,
})
const line = (provider_id: string, mean: number, against_base: Against | null): Line => ({
  ...{ provider_id, cases: 24, tests: 24, most_trials: 1, scores: null, pass_k: [], cost_usd: null, cost_missing: 24 },
  passes: { mean, lower: mean - 0.2, upper: mean + 0.05 },
  latency_ms: { median: null, p95: null },
  input_tokens_median: null,
  output_tokens_median: null,
  against_base,
})

it('has the passed share, its interval and p against the best, for wide and for narrow columns', () => {
  const rows = statRows(
    [
      line('best', 0.917, null),
      line('tie', 0.875, against({})),
      line('poor', 0.667, against({ verdict: 'worse', adjusted_p: 0.0469 })),
      line('last', 0.25, against({ verdict: 'worse', adjusted_p: 0.0001 })),
      line('none', 0.5, against({ pairs: 0, p_value: null, adjusted_p: null })),
      undefined,
    ],
    'best',
  )
  expect(rows.map(({ cells }) => cells.map((cell) => cell?.text))).toEqual([
    ['91.7%', '87.5%', '66.7%', '25.0%', '50.0%', undefined],
    ['72 to 97', '68 to 93', '47 to 72', '5 to 30', '30 to 55', undefined],
    ['best', '0.500', 'worse, 0.047', 'worse, < 0.001', '–', undefined],
  ])
  expect(rows[2]?.cells.map((cell) => cell?.short)).toEqual(['best', '.500', '− .047', '− <.001', '–', undefined])
  expect(rows[2]?.cells.map((cell) => cell?.tone)).toEqual([undefined, 'm2', 'fail', 'fail', undefined, undefined])
  expect(rows[2]?.cells[2]?.title).toContain('adjusted for the number of columns')
})
