import { describe, expect, it } from 'vitest'
import {
  joinQuestions,
  questionsProblem,
  rubricTextProblem,
  splitQuestions,
  stepOf,
  wordsProblem,
  type Question,
} from '../../../domain/review/rubric.ts'
import { EVERY_QUESTION } from '../../support/documents/rubrics.ts'

const verdict = { key: 'right', kind: 'verdict', deciding: true } as const
const score = { key: 'tone', kind: 'score', deciding: false, min: 1, max: 5, step: 1 } as const
const category = { key: 'fault', kind: 'category', deciding: false, options: [{ key: 'a' }, { key: 'b' }] } as const

describe('questions of a rubric', () => {
  it.each([
    ['a verdict that decides', [verdict]],
    ['six questions', [verdict, ...[1, 2, 3, 4, 5].map((n) => ({ ...score, key: `tone_${n}` }))]],
    ['a score that decides', [{ ...score, deciding: true, pass_from: 3 }]],
    ['a category that decides', [{ ...category, deciding: true, options: [{ key: 'a', pass: true }, { key: 'b' }] }]],
    ['a preference', [{ key: 'better', kind: 'preference', deciding: true }]],
    ['decimal steps', [verdict, { ...score, min: 0, max: 1, step: 0.1 }]],
  ] as ReadonlyArray<readonly [string, readonly Question[]]>)('may be %s', (_, questions) =>
    expect(questionsProblem(questions)).toBeNull(),
  )

  it.each([
    ['none', [], '1 to 6'],
    ['seven', [verdict, ...[1, 2, 3, 4, 5, 6].map((n) => ({ ...score, key: `tone_${n}` }))], '1 to 6'],
    ['two with one key', [verdict, { ...score, key: 'right' }], 'a key of its own'],
    ['one with a key in capitals', [{ ...verdict, key: 'Right' }], 'the key of a question'],
    ['one with a key that objects cannot have', [{ ...verdict, key: '__proto__' }], 'the key of a question'],
    ['none that decides', [{ ...verdict, deciding: false }], 'exactly one must be deciding'],
    ['two that decide', [verdict, { ...verdict, key: 'other' }], 'exactly one must be deciding'],
    ['a comment that decides', [{ key: 'why', kind: 'comment', deciding: true }], 'comment cannot decide'],
    ['categories that decide', [{ ...category, kind: 'categories', deciding: true }], 'categories cannot decide'],
    [
      'a preference that does not decide',
      [verdict, { key: 'better', kind: 'preference', deciding: false }],
      'a preference must be the question that decides',
    ],
    ['a score without limits', [verdict, { key: 'tone', kind: 'score', deciding: false }], 'needs min, max and step'],
    ['a score without a range', [verdict, { ...score, max: 1 }], 'min must be less than max'],
    ['a score without a step', [verdict, { ...score, step: 0 }], 'step must be more than 0'],
    ['a score of too many steps', [verdict, { ...score, step: 0.001 }], 'at most 1000 steps'],
    ['a score that its steps miss', [verdict, { ...score, step: 3 }], 'a whole number of steps'],
    ['a score that decides nothing', [{ ...score, deciding: true }], 'pass_from'],
    ['a score that all pass', [{ ...score, deciding: true, pass_from: 1 }], 'one of the steps above min'],
    ['a score between two steps', [{ ...score, deciding: true, pass_from: 2.5 }], 'one of the steps above min'],
    ['a verdict with limits', [{ ...verdict, min: 1 }], 'verdict has no min'],
    ['a verdict with options', [{ ...verdict, options: [{ key: 'a' }] }], 'verdict has no options'],
    ['a category of one option', [verdict, { ...category, options: [{ key: 'a' }] }], 'needs 2 to 20 options'],
    [
      'a category of 21 options',
      [verdict, { ...category, options: Array.from({ length: 21 }, (_, n) => ({ key: `o${n}` })) }],
      'needs 2 to 20 options',
    ],
    [
      'an option that is the answer of those who cannot tell',
      [verdict, { ...category, options: [{ key: 'a' }, { key: 'cannot_tell' }] }],
      'cannot have the key cannot_tell',
    ],
    ['options with one key', [verdict, { ...category, options: [{ key: 'a' }, { key: 'a' }] }], 'a key of its own'],
    [
      'passing options that decide nothing',
      [verdict, { ...category, options: [{ key: 'a', pass: true }, { key: 'b' }] }],
      'pass is for the options of a category that decides',
    ],
    ['a deciding category without a pass', [{ ...category, deciding: true }], 'some options must have pass'],
  ] as ReadonlyArray<readonly [string, readonly Question[], string]>)('are refused: %s', (_, questions, problem) =>
    expect(questionsProblem(questions)).toContain(problem),
  )
})

describe('the words of a rubric', () => {
  const words = { name: 'Right', questions: { right: { label: 'Right?' } }, show: [] }
  it.each([
    ['a blank name', { ...words, name: ' ' }, 'name must have 1 to 200 characters'],
    ['a long label', { ...words, questions: { right: { label: 'a'.repeat(401) } } }, 'right: label must have'],
    ['NUL in a label', { ...words, questions: { right: { label: 'a\0' } } }, 'well-formed Unicode without NUL'],
    ['a blank option', { ...words, questions: { a: { label: 'A', options: { b: '' } } } }, 'a: label must have'],
    ['a field of who judged', { ...words, show: [{ field: 'asserts', label: 'A' }] }, 'show: field must be'],
    ['a variable without a name', { ...words, show: [{ field: 'vars.', label: 'A' }] }, 'show: field must be'],
    ['a field twice', { ...words, show: [1, 2].map(() => ({ field: 'output', label: 'A' })) }, 'each field only once'],
    [
      '21 fields',
      { ...words, show: Array.from({ length: 21 }, (_, n) => ({ field: `vars.${n}`, label: 'A' })) },
      'at most 20 fields',
    ],
  ])('may not have %s', (_, given, problem) => expect(wordsProblem(given)).toContain(problem))

  it('may show variables, the prompt, the output and its tool calls', () => {
    const fields = ['vars.question', 'vars.a b\nc', 'prompt', 'output', 'tool_calls']
    expect(wordsProblem({ ...words, show: fields.map((field) => ({ field, label: 'A' })) })).toBeNull()
  })

  it('have a text of at most 64 KiB', () => {
    expect(rubricTextProblem('é'.repeat(32_768))).toBeNull()
    expect(rubricTextProblem('é'.repeat(32_769))).toContain('not 65538')
    for (const text of ['', ' \n', 'a\0', '\ud800']) expect(rubricTextProblem(text)).toContain('must not be empty')
  })

  it('are separated from the questions, and put together again', () => {
    const { questions, words: said } = splitQuestions(EVERY_QUESTION)
    expect(JSON.stringify(questions)).not.toContain('label')
    expect(joinQuestions(questions, said)).toEqual(EVERY_QUESTION.map((question) => ({ deciding: false, ...question })))
  })
})

it('a value of a score is one of its steps, or as near to one as decimals are', () => {
  const tenths = { ...score, min: 0, max: 1, step: 0.1 }
  for (let n = 0; n <= 10; n++) expect(stepOf(tenths, n / 10)).toBe(n / 10)
  for (const value of [-0.1, 1.1, 0.05, Number.NaN, Infinity]) expect(stepOf(tenths, value), `${value}`).toBeNull()
  expect(stepOf({ ...tenths, min: 0.1 }, 0.1 + 0.7)).toBe(0.8)
  expect(stepOf({ ...tenths, min: -100, max: 100, step: 0.5 }, -0.5)).toBe(-0.5)
  expect(stepOf({ ...tenths, min: -100, max: 0 }, -100 + 999 * 0.1)).toBe(-0.1)
  expect(stepOf({ ...tenths, min: 1e15, max: 1e15 + 9, step: 1 }, 1e15 + 7)).toBe(1e15 + 7)
})
