import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { sideOf, turnedAnswers } from '../../../domain/review/queue.ts'
import type { Question } from '../../../domain/review/rubric.ts'

const QUESTIONS: readonly Question[] = [
  { key: 'better', kind: 'preference', deciding: true },
  { key: 'why', kind: 'comment', deciding: false },
]

describe('the side on which a person sees a case of a pair', () => {
  it('follows the hash of the seed, the account and the item', () => {
    const names = ['ann', 'ben', 'cat', 'dan']
    const expected = names.map((name) =>
      createHash('sha256').update(`seed\0${name}\x007`).digest()[0]! % 2 === 0 ? 'ab' : 'ba',
    )
    expect(names.map((name) => sideOf('seed', name, 7))).toEqual(expected)
    expect(new Set(Array.from({ length: 20 }, (_, n) => sideOf('seed', 'ann', n + 1)))).toEqual(new Set(['ab', 'ba']))
  })

  it('turns a preference where B is first, and nothing else', () => {
    expect(turnedAnswers(QUESTIONS, 'ba', { better: 'a', why: 'a' })).toEqual({ better: 'b', why: 'a' })
    expect(turnedAnswers(QUESTIONS, 'ba', { better: 'b' })).toEqual({ better: 'a' })
    for (const better of ['tie', null, 7]) expect(turnedAnswers(QUESTIONS, 'ba', { better })).toEqual({ better })
    for (const side of ['ab', null] as const)
      expect(turnedAnswers(QUESTIONS, side, { better: 'a' })).toEqual({ better: 'a' })
    expect(turnedAnswers(QUESTIONS, 'ba', {})).toEqual({})
  })
})
