import { describe, expect, it } from 'vitest'
import { numberedName, uniqueNames } from '../../../domain/text/unique-names.ts'

describe('unique names', () => {
  it('number the second of a name, and skip numbers that are names already', () => {
    const unique = uniqueNames(numberedName)
    expect(['a', 'b', 'a#2', 'a', 'a', 'a#2'].map(unique)).toEqual(['a', 'b', 'a#2', 'a#3', 'a#4', 'a#2#2'])
  })

  it('take twice the steps for twice the names, however many are equal', () => {
    const stepsFor = (count: number) => {
      let steps = 0
      const unique = uniqueNames((name, number) => {
        steps += 1
        return numberedName(name, number)
      })
      for (let at = 0; at < count; at++) unique(`a#${at + 2}`)
      for (let at = 0; at < count; at++) unique('a')
      return steps
    }
    expect(stepsFor(2_000)).toBeLessThanOrEqual(2 * stepsFor(1_000) + 2)
  })
})
