import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { passAtK, runPassAtK } from '../../../engine/runner/pass-at-k.ts'

const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k)
const trial = (test_id: string, repeat: number, status: 'pass' | 'fail' | 'xpass') => ({
  cell: { provider_id: 'p', test_id, repeat },
  status,
})

describe('pass@k', () => {
  it('is the estimate by binomials', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.nat(30), fc.integer({ min: 1, max: 30 }), (n, c, k) => {
        fc.pre(c <= n && k <= n)
        const expected = n - c < k ? 1 : 1 - choose(n - c, k) / choose(n, k)
        expect(passAtK(n, c, k)).toBeCloseTo(expected, 10)
      }),
    )
  })

  it('of a run is the mean over its cells', () => {
    const cases = [trial('a', 0, 'pass'), trial('a', 1, 'fail'), trial('b', 0, 'xpass'), trial('b', 1, 'xpass')]
    expect(runPassAtK(cases)).toBe(0.75)
    expect(runPassAtK(cases, 2)).toBe(1)
  })

  it('needs a cell with more than one trial, and k trials everywhere', () => {
    expect(runPassAtK([trial('a', 0, 'pass')])).toBeNull()
    expect(runPassAtK([trial('a', 0, 'pass'), trial('a', 1, 'pass'), trial('b', 0, 'pass')], 2)).toBeNull()
    expect(runPassAtK([])).toBeNull()
  })
})
