import { describe, expect, it } from 'vitest'
import { needsBaseline, needsCalibration, parseRule } from '../../../domain/gate/rules.ts'

describe('parseRule', () => {
  it.each([
    ['no-regression', { kind: 'no-regression' }, true],
    ['no-newly-failing', { kind: 'no-newly-failing', most: 0 }, true],
    ['no-newly-failing:3', { kind: 'no-newly-failing', most: 3 }, true],
    ['non-inferior:0.05', { kind: 'non-inferior', margin: 0.05 }, true],
    ['non-inferior:5%', { kind: 'non-inferior', margin: 0.05 }, true],
    ['pass-rate:.9', { kind: 'pass-rate', least: 0.9, isLower: false }, false],
    ['pass-rate:lower:85%', { kind: 'pass-rate', least: 0.85, isLower: true }, false],
    ['score:lower:0.7', { kind: 'score', least: 0.7, isLower: true }, false],
    ['score:1', { kind: 'score', least: 1, isLower: false }, false],
    ['cost:+20%', { kind: 'cost', rise: 0.2, isClear: false }, true],
    ['latency:+150%', { kind: 'latency', rise: 1.5, isClear: false }, true],
    ['latency:clear:+25%', { kind: 'latency', rise: 0.25, isClear: true }, true],
    ['cost:+0%', { kind: 'cost', rise: 0, isClear: false }, true],
    ['errors:0', { kind: 'errors', most: 0 }, false],
  ] as const)('reads %s', (text, rule, comparing) => {
    expect(parseRule(text)).toEqual({ text, ...rule })
    expect(needsBaseline(parseRule(text))).toBe(comparing)
  })

  it.each([
    ['calibrated-pass-rate:0.7', { kind: 'calibrated-pass-rate', least: 0.7, isLower: false, metric: null }],
    ['calibrated-pass-rate:lower:65%', { kind: 'calibrated-pass-rate', least: 0.65, isLower: true, metric: null }],
    ['calibrated-pass-rate:.7@a@b:c', { kind: 'calibrated-pass-rate', least: 0.7, isLower: false, metric: 'a@b:c' }],
    ['judge-agreement:0.6', { kind: 'judge-agreement', least: 0.6, measure: 'ac1', isLower: false, metric: null }],
    [
      'judge-agreement:kappa:lower:0.4@tone',
      { kind: 'judge-agreement', least: 0.4, measure: 'kappa', isLower: true, metric: 'tone' },
    ],
  ] as const)('reads %s, which is about a judge', (text, rule) => {
    expect(parseRule(text)).toEqual({ text, ...rule })
    expect([needsBaseline(parseRule(text)), needsCalibration(parseRule(text))]).toEqual([false, true])
  })

  it.each([
    ['', 'is not known'],
    ['regression', 'is not known'],
    ['constructor', 'is not known'],
    ['no-regression:1', 'takes no value'],
    ['no-newly-failing:', 'a whole number'],
    ['no-newly-failing:-1', 'a whole number'],
    ['non-inferior', 'a share'],
    ['non-inferior:5', 'a share'],
    ['pass-rate:NaN', 'a share'],
    ['pass-rate:101%', 'a share'],
    ['pass-rate:lower', 'a share'],
    ['score:1e-3', 'a share'],
    ['cost:20%', 'a percentage'],
    ['cost:clear:', 'a percentage'],
    ['cost:clear+20%', 'a percentage'],
    ['cost:+20', 'a percentage'],
    ['latency:-5%', 'a percentage'],
    ['calibrated-pass-rate', 'a share'],
    ['calibrated-pass-rate:kappa:0.7', 'a share'],
    ['calibrated-pass-rate:0.7@', 'the name of a metric after @'],
    ['calibrated-pass-rate:@tone', 'a share'],
    ['judge-agreement:lower:kappa:0.7', 'a share'],
    ['judge-agreement:ac1:0.7', 'a share'],
    ['errors', 'a whole number'],
    ['errors:1.5', 'a whole number'],
  ])('refuses %j, with its name', (text, reason) => {
    expect(() => parseRule(text)).toThrow(reason)
    expect(() => parseRule(text)).toThrow(JSON.stringify(text))
  })
})
