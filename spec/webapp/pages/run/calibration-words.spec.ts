import { expect, it } from 'vitest'
import { calibrationWords } from '../../../../webapp/pages/run/result/calibration-words.ts'

const rate = {
  reason: null,
  estimate: 0.709,
  lower: 0.651,
  upper: 0.762,
  groups: null,
  design_effect: null,
  clipped: 0,
}
const judge_alone = { passed: 391, total: 500, rate: 0.782, lower: 0.744, upper: 0.816 }
const because = (state: 'weak' | 'stale' | 'none', code: string, text: string) => ({
  ...{ state, rate, judge_alone },
  reasons: [{ state, code, text }],
})

it('a calibration is one line: its numbers, and the first reason not to rely on them', () => {
  expect(calibrationWords({ state: 'good', reasons: [], rate, judge_alone })).toBe(
    'Calibrated 70.9% (65.1% to 76.2%), judge alone 78.2%',
  )
  expect(calibrationWords(because('stale', 'old', 'newest label 112 days old; rubric allows 90'))).toBe(
    'Calibrated 70.9% (65.1% to 76.2%), judge alone 78.2%: newest label 112 days old; rubric allows 90',
  )
  const few = because('weak', 'few_labels', '12 labels; it needs 50')
  expect(calibrationWords({ ...few, rate: { reason: 'few_labels' } })).toBe('Not calibrated: 12 labels; it needs 50')
  expect(calibrationWords(because('none', 'no_labels', 'no case was labelled by people'))).toBe('Not checked by people')
  expect(calibrationWords(because('none', 'judge_unknown', 'it is not known which model judged'))).toBe(
    'Cannot be checked by people: it is not known which model judged',
  )
})
