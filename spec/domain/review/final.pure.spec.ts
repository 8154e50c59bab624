import { describe, expect, it } from 'vitest'
import { decisionOf, finalOf, letterOf, splitAnswers, type GivenAnswer } from '../../../domain/review/final.ts'
import { splitQuestions, type Question } from '../../../domain/review/rubric.ts'
import { EVERY_QUESTION } from '../../support/documents/rubrics.ts'

const { questions } = splitQuestions(EVERY_QUESTION)
const RIGHT = { right: 'pass', tone: 0.7, fault: 'city', signs: ['a'] } as const

describe('the answers of a label', () => {
  it('are taken apart: comments and marks are stored apart from the rest', () => {
    const marks = [{ start: 0, end: 4, option: 'wrong' }]
    expect(splitAnswers(questions, { ...RIGHT, why: 'Because.', marks })).toEqual({
      ...{ problem: null, answers: RIGHT, texts: { why: 'Because.', marks } },
      decides: { answer: 'pass', passes: 1, score: 0.7 },
    })
  })

  it('may all be "cannot tell" but comments and marks, and empty prose is none', () => {
    const nothing = { right: null, tone: null, fault: null, signs: null }
    expect(splitAnswers(questions, { ...nothing, why: '', marks: [] })).toEqual({
      ...{ problem: null, answers: nothing, texts: null },
      decides: { answer: 'cannot_tell', passes: null, score: null },
    })
  })

  it.each<readonly [what: string, change: Readonly<Record<string, unknown>>, problem: string]>([
    ['one that is missing', { right: undefined }, 'right: is missing; null says that you cannot tell'],
    ['one that only a prototype has', { constructor: 'pass' }, 'constructor: the rubric has no such question'],
    ['a wrong verdict', { right: 'PASS' }, 'right: must be pass or fail'],
    ['a verdict in a list', { right: ['pass'] }, 'right: must be pass or fail'],
    ['a score between steps', { tone: 0.75 }, 'tone: must be a number from 0 to 1 in steps of 0.1'],
    ['a score above the highest', { tone: 1.1 }, 'tone: must be a number'],
    ['a score that is none', { tone: Number.NaN }, 'tone: must be a number'],
    ['a score as text', { tone: '0.7' }, 'tone: must be a number'],
    ['an unknown option', { fault: 'town' }, 'fault: must be one of the options'],
    ['an option twice', { signs: ['a', 'a'] }, 'signs: must be a list of options, each once'],
    ['an option outside of a list', { signs: 'a' }, 'signs: must be a list of options'],
    ['a comment that is too long', { why: '😀'.repeat(4_001) }, 'why: must have at most 4000 characters'],
    ['a comment with NUL', { why: 'a\0' }, 'why: must be well-formed Unicode without NUL'],
    ['a comment without a partner of its half', { why: '\ud800' }, 'why: must be well-formed'],
    ['a mark that ends where it begins', { marks: [{ start: 1, end: 1, option: 'wrong' }] }, 'marks: must be a list'],
    ['a mark of an unknown option', { marks: [{ start: 0, end: 1, option: 'a' }] }, 'marks: must be a list'],
    ['a mark with more', { marks: [{ start: 0, end: 1, option: 'wrong', note: 'x' }] }, 'marks: must be a list'],
    ['a mark that is null', { marks: [null] }, 'marks: must be a list'],
    [
      'too many marks',
      { marks: Array.from({ length: 51 }, () => ({ start: 0, end: 1, option: 'wrong' })) },
      'marks: must have at most 50 marks',
    ],
  ])('are refused with %s', (_, change, problem) =>
    expect(splitAnswers(questions, { ...RIGHT, ...change }).problem).toContain(`answers: ${problem}`),
  )
})

describe('what an answer decides', () => {
  const verdict: Question = { key: 'q', kind: 'verdict', deciding: true }
  const score: Question = { ...verdict, kind: 'score', min: 0.1, max: 1, step: 0.1, pass_from: 0.8 }
  const category: Question = { ...verdict, kind: 'category', options: [{ key: 'good', pass: true }, { key: 'bad' }] }
  const preference: Question = { ...verdict, kind: 'preference' }
  it.each<readonly [what: string, question: Question, answer: GivenAnswer, ...ReturnType<typeof seen>]>([
    ['a verdict', verdict, 'fail', 'fail', 0, null],
    ['"cannot tell"', verdict, null, 'cannot_tell', null, null],
    ['a score from its pass side', score, 0.8, 'pass', 1, 0.8],
    ['a sum of decimals that means the step', score, 0.1 + 0.7, 'pass', 1, 0.8],
    ['a score below it', score, 0.7, 'fail', 0, 0.7],
    ['an option that passes', category, 'good', 'good', 1, null],
    ['another option', category, 'bad', 'bad', 0, null],
    ['a preference, which has no pass side', preference, 'tie', 'tie', null, null],
  ])('is of %s', (_, question, answer, ...expected) => expect(seen(question, answer)).toEqual(expected))

  function seen(question: Question, given: GivenAnswer): [string, 0 | 1 | null, number | null] {
    const { answer, passes, score: value } = decisionOf(question, given)
    return [answer, passes, value]
  }
})

describe('the votes of an item', () => {
  it.each<
    readonly [what: string, votes: string, per_item: number, resolve: 'adjudicate' | 'majority', final: string | null]
  >([
    ['too few', 'pass', 2, 'adjudicate', null],
    ['that agree', 'pass pass', 2, 'adjudicate', 'pass'],
    ['that differ', 'pass fail', 2, 'adjudicate', null],
    ['of which one cannot tell', 'pass cannot_tell', 2, 'adjudicate', null],
    ['that all cannot tell', 'cannot_tell cannot_tell', 2, 'adjudicate', 'cannot_tell'],
    ['with a majority that does not decide', 'pass pass fail', 3, 'adjudicate', null],
    ['with a majority', 'pass fail pass', 3, 'majority', 'pass'],
    ['without one', 'pass fail cannot_tell', 3, 'majority', null],
    ['that are half and half', 'pass pass fail fail', 4, 'majority', null],
    ['with too few for a majority', 'pass pass', 3, 'majority', null],
    ['of one person', 'fail', 1, 'majority', 'fail'],
  ])('%s', (_, votes, per_item, resolve, final) => expect(finalOf(votes.split(' '), per_item, resolve)).toBe(final))
})

it('people have letters in the order in which they were added', () =>
  expect([0, 1, 25, 26, 27, 51, 52, 701, 702].map(letterOf)).toEqual([
    'A',
    'B',
    'Z',
    'AA',
    'AB',
    'AZ',
    'BA',
    'ZZ',
    'AAA',
  ]))
