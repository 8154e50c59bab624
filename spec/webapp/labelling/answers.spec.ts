import { expect, it } from 'vitest'
import {
  activeQuestion,
  answersOf,
  answerWords,
  choicesOf,
  chosen,
  firstMissing,
  isChoiceAlone,
  isTyped,
  keyedChoices,
  type Question,
} from '../../../webapp/labelling/answers.ts'

const options = (...labels: string[]) => labels.map((label) => ({ key: label.toLowerCase(), label }))
const EVERY: readonly Question[] = [
  { key: 'right', kind: 'verdict', label: 'Is it right?', deciding: false },
  { key: 'tone', kind: 'score', label: 'How kind?', min: 0, max: 1, step: 0.1, pass_from: 0.7, deciding: true },
  { key: 'fault', kind: 'category', label: 'What is wrong?', options: options('City', 'Date'), deciding: false },
  { key: 'signs', kind: 'categories', label: 'Which signs?', options: options('A', 'B'), deciding: false },
  { key: 'marks', kind: 'span', label: 'Where?', options: options('Wrong'), deciding: false },
  { key: 'why', kind: 'comment', label: 'Why?', deciding: false },
]
const [verdict, score, category, categories] = EVERY as readonly [Question, Question, Question, Question]
const keysOf = (questions: readonly Question[], active: Question | null) =>
  [...keyedChoices(questions, active)].map(([key, { question, choice }]) => `${key} ${question.key} ${choice.label}`)

it('the choices of all questions are numbered through as long as nine digits are enough', () => {
  expect(keysOf([verdict, category], verdict)).toEqual(['1 right Pass', '2 right Fail', '3 fault City', '4 fault Date'])
  expect(keysOf(EVERY, verdict)).toEqual(['1 right Pass', '2 right Fail'])
  expect(keysOf(EVERY, score).length).toBe(9)
  expect(keysOf(EVERY, null)).toEqual([])
  expect(choicesOf({ ...verdict, kind: 'preference' }).map(({ value }) => value)).toEqual(['a', 'b', 'tie'])
})

it('a score has a choice for each step, exactly, or is typed', () => {
  expect(choicesOf(score).map(({ label }) => label)).toContain('0.7')
  expect(isTyped({ ...score, min: 0, max: 100, step: 1 })).toBe(true)
  expect(choicesOf({ ...score, min: 0, max: 100, step: 1 })).toEqual([])
})

it('a label needs all answers but comments, marks and options of which none may apply', () => {
  expect([verdict, score, category].map((question) => isChoiceAlone([question]))).toEqual([true, true, true])
  expect([categories, { ...score, step: 0.01 }].map((question) => isChoiceAlone([question]))).toEqual([false, false])
  expect(isChoiceAlone(EVERY)).toBe(false)
  expect(firstMissing(EVERY, {})).toBe(verdict)
  const draft = { right: null, tone: 0.7, fault: 'city' }
  expect(firstMissing(EVERY, draft)).toBeNull()
  expect(activeQuestion(EVERY, draft)).toBe(score)
  expect(answersOf(EVERY, { ...draft, why: ' ' })).toEqual({ ...draft, signs: [] })
  expect(answersOf(EVERY, { ...draft, signs: null, why: 'So.' })).toEqual({ ...draft, signs: null, why: 'So.' })
})

it('one of several options is chosen and taken back, and "cannot tell" stands alone', () => {
  const [a, b] = choicesOf(categories)
  const both = chosen(chosen({}, categories, a!), categories, b!)
  expect(both).toEqual({ signs: ['a', 'b'] })
  expect(chosen(both, categories, a!)).toEqual({ signs: ['b'] })
  expect(chosen(both, categories, { value: null, label: '' })).toEqual({ signs: null })
  expect([['a', 'b'], [], null].map((answer) => answerWords(categories, answer))).toEqual([
    'A, B',
    'None',
    'Cannot tell',
  ])
})
