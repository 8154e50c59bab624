import { describe, expect, it } from 'vitest'
import {
  againstWords,
  BEST_FIRST,
  lineNames,
  lineText,
  recordedMeasures,
  sortLines,
  type Line,
} from '../../../../../webapp/pages/run/leaderboard/lines.ts'

const aLine = (provider_id: string, values: Partial<Line> = {}): Line => ({
  provider_id,
  prompt_id: 'terse',
  cases: 10,
  tests: 10,
  most_trials: 1,
  passes: { mean: 0.5, lower: 0.2, upper: 0.8 },
  scores: null,
  pass_k: [],
  latency_ms: { median: null, p95: null },
  input_tokens_median: null,
  output_tokens_median: null,
  cost_usd: null,
  cost_missing: 10,
  against_base: null,
  ...values,
})
const against = (values: Partial<NonNullable<Line['against_base']>>): Line =>
  aLine('a', {
    against_base: {
      shared: 10,
      pairs: 10,
      worse: 0,
      better: 0,
      verdict: 'no_clear_change',
      p_value: 1,
      mid_p: 1,
      difference: null,
      adjusted_p: 1,
      removed_by_adjustment: false,
      ...values,
    },
  })
const providers = (lines: readonly Line[]) => lines.map(({ provider_id }) => provider_id)

describe('the measures of a leaderboard', () => {
  it('are those that a column recorded', () => {
    expect(recordedMeasures([aLine('a'), aLine('b')])).toEqual([])
    const lines = [aLine('a', { cost_usd: 0 }), aLine('b', { scores: { mean: 0.5, lower: 0, upper: 1 } })]
    expect(recordedMeasures(lines).map(({ head }) => head)).toEqual(['Score', 'Cost'])
  })
  it('are pass^k and pass@k in place of the score if tests have trials', () => {
    const pass_k = [1, 2, 3, 4].map((k) => ({ k, pass_at_k: 0.9, pass_hat_k: 0.2 }))
    const lines = [aLine('a', { most_trials: 4, pass_k, scores: { mean: 0.5, lower: 0, upper: 1 } })]
    expect(recordedMeasures(lines).map(({ head, value }) => [head, value(lines[0]!)])).toEqual([
      ['pass^4', 0.2],
      ['pass@4', 0.9],
    ])
  })
})

describe('the order of a leaderboard', () => {
  const lines = [aLine('best', { cost_usd: 3 }), aLine('middle'), aLine('worst', { cost_usd: 1 })]
  it('is that of the server, or its reverse', () => {
    expect(sortLines(lines, BEST_FIRST)).toBe(lines)
    expect(providers(sortLines(lines, { ...BEST_FIRST, order: 'asc' }))).toEqual(['worst', 'middle', 'best'])
  })
  it('has lines without the measure last, in both directions', () => {
    expect(providers(sortLines(lines, { sort: 'cost', order: 'asc' }))).toEqual(['worst', 'best', 'middle'])
    expect(providers(sortLines(lines, { sort: 'cost', order: 'desc' }))).toEqual(['best', 'worst', 'middle'])
    expect(providers(sortLines(lines, { sort: 'name', order: 'desc' }))).toEqual(['worst', 'middle', 'best'])
  })
})

it.each([
  ['the provider, if all have one prompt', [aLine('a'), aLine('b')], ['a', 'b']],
  ['the prompt, if all have one provider', [aLine('a'), aLine('a', { prompt_id: null })], ['terse', 'no prompt']],
  ['both otherwise', [aLine('a'), aLine('b', { prompt_id: 'long' })], ['a · terse', 'b · long']],
])('a column is named by %s', (_, lines, names) => expect(lines.map(lineNames(lines))).toEqual(names))

it.each([
  ['base', aLine('a')],
  ['no shared tests', against({ pairs: 0, p_value: null, adjusted_p: null })],
  ['a tie', against({ worse: 5, better: 4 })],
  ['a tie', against({ verdict: 'too_few' })],
  ['not clear', against({ worse: 7, adjusted_p: 0.06, removed_by_adjustment: true })],
  ['too few changes', against({ verdict: 'too_few', worse: 2 })],
  ['worse, p = 0.012', against({ verdict: 'worse', worse: 9, adjusted_p: 0.012 })],
  ['better, p < 0.001', against({ verdict: 'better', better: 20, adjusted_p: 0.0001 })],
])('compared with the base, a column is %j', (words, line) => expect(againstWords(line)).toBe(words))

it('an address names a column with or without its prompt', () => {
  expect([
    lineText(aLine('a')),
    lineText(aLine('a', { prompt_id: null })),
    lineText(aLine('a', { prompt_id: undefined })),
  ]).toEqual(['a,terse', 'a,', 'a'])
})
