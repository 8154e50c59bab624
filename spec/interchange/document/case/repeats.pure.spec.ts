import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repeatCounter } from '../../../../interchange/document/case/repeats.ts'

/** Numbers of one cell, one after the other. */
const numbersOf = (wanted: ReadonlyArray<number | null>) => {
  const next = repeatCounter()
  return wanted.map((number) => next('cell', number).repeat)
}

describe('the numbers of the trials of a cell', () => {
  it('are those of the source, or the next free ones', () => {
    expect(numbersOf([null, null, 0, 5, 5, null, 2])).toEqual([0, 1, 2, 5, 4, 6, 7])
    expect(numbersOf([2, 0, 1])).toEqual([2, 0, 1])
    const next = repeatCounter()
    expect([next('a', null), next('b', null), next('a', 1)]).toEqual([
      { repeat: 0, isNext: true },
      { repeat: 0, isNext: true },
      { repeat: 1, isNext: false },
    ])
  })

  it('are different for each trial, and the wanted one unless it is used', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(12)), { maxLength: 30 }), (wanted) => {
        const found = numbersOf(wanted)
        expect(new Set(found).size).toBe(found.length)
        for (const [at, number] of wanted.entries())
          if (number !== null && !found.slice(0, at).includes(number)) expect(found[at]).toBe(number)
      }),
    )
  })

  it('take twice the steps for twice the trials', () => {
    const stepsFor = (count: number) => {
      let steps = 0
      const next = repeatCounter(() => void (steps += 1))
      for (let at = 0; at < count; at++) next('cell', count + at)
      for (let at = 0; at < count; at++) next('cell', count + at)
      return steps
    }
    expect(stepsFor(2_000)).toBeLessThanOrEqual(2 * stepsFor(1_000) + 2)
  })
})
