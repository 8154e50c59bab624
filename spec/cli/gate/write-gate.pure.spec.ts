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
  ],
  note: null,
})

it('shows names, ids and numbers of a run, and makes nothing of them live', () =>
  fc.assert(
    fc.property(hostile, hostile, fc.boolean(), (text, other, hasBase) => {
      const item = gated(text, other, hasBase)
      const markdown = gateMarkdown([item, item])
      expect(liveIn(markdown)).toBeNull()
      expect(rendered(markdown).match(/<td>/g)).toHaveLength(16)
      // A terminal gets a line for each run and each rule.
      expect(gateText([item]).match(/[\n\r\u2028\x1b]/g)).toEqual(['\n', '\n', '\n'])
    }),
  ))

it('says what came of all rules together', () => {
  const item = gated('a', 'b', true)
  const with_ = (...outcomes: ReadonlyArray<'holds' | 'failed' | 'not_judged'>) =>
    gateMarkdown(outcomes.map((outcome) => ({ ...item, rules: [{ rule: 'r', outcome, numbers: 'n' }] }))).split('\n')[2]
  expect([with_('holds', 'holds'), with_('holds', 'not_judged'), with_('not_judged', 'failed')]).toEqual([
    '**Pass**',
    '**No baseline**',
    '**Fail**',
  ])
})
