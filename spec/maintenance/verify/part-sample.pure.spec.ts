import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { sampledShare, samplerOf } from '../../../maintenance/verify/part-sample.ts'

/** The parts of a store: two of each run. */
const parts = (total: number) =>
  Array.from({ length: total }, (_, n) => ({ run_no: n >> 1, sha256: hash('sha256', `part ${n}`, 'hex') }))
const seeds = Array.from({ length: 100 }, (_, n) => `seed ${n}`)
const numberRead = (seed: string, from: ReturnType<typeof parts>): number =>
  from.filter(({ run_no, sha256 }) => samplerOf(seed, sampledShare(from.length))(run_no, sha256)).length

describe('the sample of parts that a verification reads', () => {
  it.each([500, 2000, 30_000, 100_000, 400_000])(
    'of %i has one of the altered ones, a hundredth of all, for at least 99 of 100 seeds',
    (total) => {
      // Altered together, as a bad sector alters them: what is spread out is found as often.
      const altered = parts(total).slice(total / 2, total / 2 + total / 100)
      const isFound = (seed: string): boolean => {
        const isRead = samplerOf(seed, sampledShare(total))
        return altered.some(({ run_no, sha256 }) => isRead(run_no, sha256))
      }
      expect(seeds.filter(isFound).length).toBeGreaterThanOrEqual(99)
    },
  )

  it('is all of a few, about a thousand of more, and 1 % of many', () => {
    expect(numberRead('a', parts(1000))).toBe(1000)
    expect(Math.abs(numberRead('a', parts(5000)) - 1000)).toBeLessThan(100)
    expect(Math.abs(numberRead('a', parts(200_000)) - 2000)).toBeLessThan(200)
  })

  it('is another one for each seed, and the same for the same', () => {
    const read = (seed: string) => parts(5000).filter(({ run_no, sha256 }) => samplerOf(seed, 0.2)(run_no, sha256))
    expect(read('a')).toEqual(read('a'))
    const ofA = new Set(read('a').map(({ sha256 }) => sha256))
    // A fifth of a fifth is in both.
    expect(Math.abs(read('b').filter(({ sha256 }) => ofA.has(sha256)).length - 200)).toBeLessThan(60)
  })
})
