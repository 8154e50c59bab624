import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countText, durationText } from '../../../engine/report/numbers.ts'
import { RUN_FORMATS, runReport, runReportChunks } from '../../../engine/report/run-report.ts'
import { parseRun } from '../../../engine/store/run-file.ts'
import { engineCase, engineRun } from '../../support/documents/engine-run.ts'

const run = engineRun(
  'r1',
  [
    engineCase('refund/eligible', { name: 'eligible refund', score: 0.93 }),
    engineCase('refund/abuse', { status: 'fail' }),
    engineCase('shipping/eta', { provider_id: 'crm-bot', status: 'xpass' }),
  ],
  {
    summary: {
      prompt_tokens: 1900,
      completion_tokens: 20,
      cost_usd: 0.0012,
      cache_savings_usd: 0.0003,
      grader_cost_usd: 0.0083,
    },
  },
)

describe('the table of a run', () => {
  it('has a line for each case and two lines of totals', () =>
    expect(runReport(run, 'table')).toBe(`         provider  test             score
PASS     fast-mod… eligible refund  0.93
FAIL     fast-mod… refund/abuse     0.00
XPASS    crm-bot   shipping/eta     1.00

refunds total: 1 passed, 1 failed, 0 errored, 1 xpassed in 12.3s
pass rate 33.3% (95% CI 6.1–79.2%) · 1 xpassed (unexpected) · 1.9k in / 20 out tokens · $0.0012 ($0.0003 saved by cache) · $0.0083 grading
`))

  it('shows the other parts of the totals where they are known', () => {
    const repeated = engineRun(
      'r1',
      [engineCase('a', { cached: true }), engineCase('a', { repeat: 1, status: 'fail', attempts: 3 })],
      { summary: { empty_counts: { refusal: 2, blank: 1 }, cache_read_tokens: 300, cache_write_tokens: 1_200_000 } },
    )
    expect(runReport(repeated, 'table')).toContain(
      // One test with two trials: what one test says, which is less than two tests would.
      'pass rate 50.0% (95% CI 5.5–94.5%) · 3 empty · pass@1 50.0% · 300 of that cache-read / 1.2M cache-write tokens · 1 cache hits · 1 retried\n',
    )
  })

  it('keeps the totals of the run where only failed cases are shown', () => {
    const text = runReport(run, 'table', { failed: true })
    expect(text).not.toContain('eligible refund')
    expect(text).toContain('refunds total: 1 passed, 1 failed')
    expect(text).toMatch(/\nshowing 2 failed\/errored of 3 cases\n$/)
  })

  it('has colours only on request', () => {
    expect(runReport(run, 'table', { colour: true })).toContain('\x1b[31mFAIL\x1b[0m     fast-mod…')
    expect(runReport(run, 'table')).not.toContain('\x1b')
  })

  it('cuts long names, and escapes what controls a terminal', () => {
    const text = runReport(engineRun('r1', [engineCase(`${'💬'.repeat(80)}`), engineCase('a\x1b]0;x\x07\nb')]), 'table')
    expect(text).toContain(`fast-mod… ${'💬'.repeat(59)}…  1.00\n`)
    expect(text).toContain('a\\u001b]0;x\\u0007\\u000ab')
    const odd = engineRun('r1', [engineCase('a', { provider_id: '\x1b[2J' })], { suite: '\x9b2J' })
    expect(runReport(odd, 'table')).not.toMatch(/(?!\n)\p{Cc}/u)
  })
})

describe('the other formats of a run', () => {
  it('are the document, and a case on each line', () => {
    expect(JSON.parse(runReport(run, 'json'))).toEqual(run)
    expect(JSON.parse(runReport(run, 'json', { failed: true }))).toMatchObject({
      cases: [{ status: 'fail' }, { status: 'xpass' }],
      summary: { total: 3 },
    })
    const lines = runReport(run, 'jsonl').split('\n')
    expect([lines.slice(0, 3).map((line) => JSON.parse(line) as unknown), lines.slice(3)]).toEqual([run.cases, ['']])
    expect(runReport(run, 'junit', { failed: true })).toContain(
      '<testsuite name="refunds" tests="3" failures="2" errors="0">',
    )
  })

  it.each(RUN_FORMATS)('are the same in pieces: %s', (format) =>
    expect([...runReportChunks(run, format, { colour: true })].join('')).toBe(runReport(run, format, { colour: true })),
  )

  it('keep any text and any number, and print no control character', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (output) => {
        const odd = engineRun('r1', [engineCase('a', { output })])
        for (const text of [runReport(odd, 'json'), runReport(odd, 'jsonl')])
          expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
        expect(JSON.parse(runReport(odd, 'json'))).toEqual(odd)
      }),
    ))

  it('write a number that no double holds as it is', () => {
    const text = JSON.stringify(engineRun('r1', [engineCase('a', { output: 'HERE' })])).replace(
      '"HERE"',
      '{"id":9007199254740993}',
    )
    expect(runReport(parseRun(Buffer.from(text)), 'jsonl')).toContain('"output":{"id":9007199254740993}')
  })
})

it.each([
  [0, '0.0s'],
  [12_345, '12.3s'],
  [59_949, '59.9s'],
  [59_951, '1m 00s'],
  [125_400, '2m 05s'],
  [3_725_000, '62m 05s'],
])('durationText writes %d ms as %s', (ms, text) => expect(durationText(ms)).toBe(text))

it.each([
  [500, '500'],
  [999, '999'],
  [1000, '1.0k'],
  [12_345, '12.3k'],
  [999_949, '999.9k'],
  [999_950, '1.0M'],
  [1_234_567, '1.2M'],
])('countText writes %d as %s', (count, text) => expect(countText(count)).toBe(text))
