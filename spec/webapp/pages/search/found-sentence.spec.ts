import { describe, expect, it } from 'vitest'
import { foundSentence } from '../../../../webapp/pages/search/found-sentence.ts'

const found = (count: number, more = false) => ({ count, more })
const sentence = (
  q: string,
  runs: number,
  cases: number,
  comments: number,
  options: { more?: boolean; isId?: boolean } = {},
) => {
  const { more = false, isId = false } = options
  return foundSentence({
    q,
    runs: { ...found(runs, more), isId },
    cases: found(cases, more),
    comments: found(comments, more),
  })
}

describe('what a search found', () => {
  it.each([
    ['walrus', [0, 1, 0], '1 case contains'],
    ['walrus', [0, 0, 0], '0 cases contain'],
    ['walrus', [0, 0, 1], '1 comment and 0 cases contain'],
    ['a walrus', [2, 3, 1], '2 runs, 1 comment and 3 cases contain all of'],
    ['error-404', [0, 2, 0], '2 cases have words of'],
    ['error-404', [0, 0, 0], 'No words are found for'],
    ['error-404', [1, 0, 2], '1 run, 2 comments and no words of cases are found for'],
  ] as const)('%s: %j', (q, [runs, cases, comments], expected) => {
    expect(sentence(q, runs, cases, comments)).toBe(expected)
  })

  it('says that there are older ones, and that a run has this id', () => {
    expect(sentence('walrus', 5, 500, 10, { more: true })).toBe(
      'the newest 5 runs, at least 10 comments and the newest 500 cases contain',
    )
    expect(sentence('01H905', 1, 2, 0, { isId: true })).toBe('1 run and 2 cases are found for')
  })
})
