import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countRun, flakiness, newTally } from '../../../domain/statistics/flakiness.ts'
import reference from './statistics-reference.json' with { type: 'json' }

const TRIALS: Readonly<Record<string, readonly [number, number]>> = { P: [1, 0], F: [0, 1], '-': [0, 0], M: [1, 1] }

const measure = (history: string) => {
  const tally = newTally()
  for (const letter of history) countRun(tally, ...(TRIALS[letter] ?? [0, 0]))
  return flakiness(tally)
}
const history = fc.string({ unit: fc.constantFrom('P', 'F', '-', 'M'), maxLength: 30 })

describe('the flakiness of a case', () => {
  it.each(reference.flakiness.cases)('of $history ($name)', ({ name: _, history: given, ...known }) => {
    const found = measure(given)
    expect(found).toEqual({
      ...known,
      flip_rate: found.flip_rate,
      pass_rate: found.pass_rate,
      expected_flip_rate: found.expected_flip_rate,
    })
    for (const rate of ['flip_rate', 'pass_rate', 'expected_flip_rate'] as const) {
      const [is, should] = [found[rate], known[rate]]
      if (should === null || is === null) expect(is).toBe(should)
      else expect(Math.abs(is - should)).toBeLessThanOrEqual(reference.flakiness.tolerance)
    }
  })

  it('is undefined without a verdict', () =>
    expect(measure('--')).toEqual({
      points: 0,
      flips: 0,
      flip_rate: null,
      pass_rate: null,
      expected_flip_rate: null,
      flaky: false,
    }))

  it.each([
    ['PMP', 1],
    ['PMF', 1],
    ['M', 1],
    ['MM', 2],
    ['PMFPMP', 3],
  ])('counts trials that disagree as one flip: %s', (given, flips) => expect(measure(given).flips).toBe(flips))

  it('is the same in both directions, and its rates are rates', () =>
    fc.assert(
      fc.property(history, (given) => {
        const found = measure(given)
        expect(measure([...given].reverse().join(''))).toEqual(found)
        for (const rate of [found.flip_rate, found.pass_rate]) {
          expect(rate === null || (rate >= 0 && rate <= 1)).toBe(true)
        }
      }),
    ))
})
