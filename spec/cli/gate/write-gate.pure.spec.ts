import fc from 'fast-check'
import { expect, it } from 'vitest'
import { gateMarkdown, gateText, type RunVerdict } from '../../../cli/gate/write-gate.ts'
import { HOSTILE, liveIn, rendered } from '../../support/ci/rendered.ts'

const hostile = fc.array(fc.constantFrom(...HOSTILE), { maxLength: 5 }).map((parts) => parts.join(''))

const gated = (text: string, other: string, hasBase: boolean): RunVerdict => ({
  run: { id: text, project: other, suite: text, git_branch: null, error_count: 0 },
  column: text,
  base: hasBase ? { id: other, project: other, suite: text, git_branch: text, error_count: 0 } : null,
  absent: hasBase ? null : `the suite has no other run on the branch ${other}`,
  compared: null,
  p_value: null,
  q_value: null,
  rules: [
    { rule: `errors:${text}`, outcome: 'failed', numbers: other },
    { rule: 'no-regression', outcome: 'holds', numbers: text },
    { rule: `judge-agreement:0.5@${text}`, outcome: 'not_calibrated', numbers: other },
  ],
  note: null,
})

it('shows names, ids and numbers of a run, and makes nothing of them live', () =>
  fc.assert(
    fc.property(hostile, hostile, fc.boolean(), (text, other, hasBase) => {
      const item = gated(text, other, hasBase)
      const markdown = gateMarkdown([item, item])
      expect(liveIn(markdown)).toBeNull()
      expect(rendered(markdown).match(/<td>/g)).toHaveLength(24)
      // A terminal gets a line for each run and each rule.
      expect(gateText([item], false).match(/[\n\r\u2028\x1b]/g)).toEqual(['\n', '\n', '\n', '\n'])
    }),
  ))

it('says what came of all rules together', () => {
  const item = gated('a', 'b', true)
  const with_ = (...outcomes: ReadonlyArray<'holds' | 'failed' | 'not_judged' | 'not_calibrated'>) =>
    gateMarkdown(outcomes.map((outcome) => ({ ...item, rules: [{ rule: 'r', outcome, numbers: 'n' }] }))).split('\n')[2]
  expect([
    with_('holds', 'holds'),
    with_('holds', 'not_calibrated'),
    with_('not_calibrated', 'not_judged'),
    with_('not_judged', 'failed'),
  ]).toEqual(['**Pass**', '**Not calibrated**', '**No baseline**', '**Fail**'])
})

it('shows what a calibration cannot say as a line of its own, and as a note where that is allowed', () => {
  const numbers = 'cannot be judged: the calibration is stale (newest label 112 days old; rubric allows 90)'
  const item: RunVerdict = {
    ...gated('a', 'b', true),
    rules: [{ rule: 'calibrated-pass-rate:0.7', outcome: 'not_calibrated', numbers }],
  }
  const line = `calibrated-pass-rate:0.7: ${numbers}`
  expect([gateText([item], false), gateText([item], true)].map((text) => text.split('\n')[1])).toEqual([
    line,
    `note: ${line}`,
  ])
})
