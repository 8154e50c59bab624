import type { MyItem } from '../../queries/reviews/my-items.ts'

// The answers of a label while they are chosen: which choices a question has, by which keys, and what is still missing.

export type Question = MyItem['rubric']['questions'][number]
/** A mark in the output, in UTF-16 units of the stored text. */
export type Mark = Selected & { readonly option: string }
/** Selected characters of a text: the first, and the one after the last. */
export type Selected = { readonly start: number; readonly end: number }
/** What was answered so far, by the key of the question. Null is "cannot tell". */
export type Draft = Readonly<Record<string, unknown>>
/** A choice of a question; null is "cannot tell". */
export type Choice = { readonly value: string | number | null; readonly label: string }

/** A score with more steps is typed. */
const MAX_STEPS = 21
/** Digits are keys: 1 to 9 choose, 0 is "cannot tell". */
const MAX_KEYS = 9

const stepCount = ({ min = 0, max = 0, step = 1 }: Question): number => Math.round((max - min) / step) + 1

/** Whether the answer is a number that is typed. */
export const isTyped = (question: Question): boolean => question.kind === 'score' && stepCount(question) > MAX_STEPS

const VERDICTS: readonly Choice[] = [
  { value: 'pass', label: 'Pass' },
  { value: 'fail', label: 'Fail' },
]
const SIDES: readonly Choice[] = [
  { value: 'a', label: 'Left' },
  { value: 'b', label: 'Right' },
  { value: 'tie', label: 'Tie' },
]

/** What can be chosen, without "cannot tell". None for a comment, for marks and for a number that is typed. */
export const choicesOf = (question: Question): readonly Choice[] => {
  const { kind, min = 0, step = 1, options = [] } = question
  if (kind === 'verdict') return VERDICTS
  if (kind === 'preference') return SIDES
  if (kind === 'category' || kind === 'categories') return options.map(({ key, label }) => ({ value: key, label }))
  if (kind !== 'score' || isTyped(question)) return []
  return Array.from({ length: stepCount(question) }, (_, n) => {
    // Decimal steps are not exact: 0.1 + 0.2 is 0.30000000000000004.
    const value = Number((min + n * step).toPrecision(12))
    return { value, label: String(value) }
  })
}

/** Whether "cannot tell" answers it. */
export const mayBeUnknown = ({ kind }: Question): boolean => kind !== 'comment' && kind !== 'span'

/** A key with what it chooses. */
type Keyed = { readonly question: Question; readonly choice: Choice }

/**
 * The choice of each digit. If nine digits are enough, the choices of all questions are numbered through. Otherwise the
 * digits are those of the question `active`.
 */
export const keyedChoices = (questions: readonly Question[], active: Question | null): ReadonlyMap<string, Keyed> => {
  const all = questions.flatMap((question) => choicesOf(question).map((choice) => ({ question, choice })))
  const own = all.length <= MAX_KEYS ? all : all.filter(({ question }) => question === active)
  return new Map(own.slice(0, MAX_KEYS).map((keyed, n) => [String(n + 1), keyed]))
}

/** Whether a question has its answer. Without a choice, none of several options applies. */
const isAnswered = (question: Question, draft: Draft): boolean =>
  !mayBeUnknown(question) || question.kind === 'categories' || draft[question.key] !== undefined

/** The first question without an answer, or null. */
export const firstMissing = (questions: readonly Question[], draft: Draft): Question | null =>
  questions.find((question) => !isAnswered(question, draft)) ?? null

/** The question that "cannot tell" and the digits mean: the first without an answer, else the one that decides. */
export const activeQuestion = (questions: readonly Question[], draft: Draft): Question | null =>
  firstMissing(questions, draft) ?? questions.find(({ deciding }) => deciding) ?? null

/** Whether a rubric asks for one choice and nothing else. Its key saves it. */
export const isChoiceAlone = ([only, second]: readonly Question[]): boolean =>
  only !== undefined && second === undefined && only.kind !== 'categories' && choicesOf(only).length > 0

/** The options of several that are chosen. */
export const chosenOptions = (draft: Draft, { key }: Question): readonly string[] => {
  const answer = draft[key]
  return Array.isArray(answer) ? (answer as string[]) : []
}

/** The draft with a choice made, or taken back if it is one of several. */
export const chosen = (draft: Draft, question: Question, { value }: Choice): Draft => {
  if (question.kind !== 'categories' || typeof value !== 'string') return { ...draft, [question.key]: value }
  const before = chosenOptions(draft, question)
  const after = before.includes(value) ? before.filter((each) => each !== value) : [...before, value]
  return { ...draft, [question.key]: after }
}

/** The answers as they are sent. The draft has all that are needed. */
export const answersOf = (questions: readonly Question[], draft: Draft): Record<string, unknown> =>
  Object.fromEntries(
    questions.flatMap((question) => {
      const answer = draft[question.key]
      if (question.kind === 'categories' && answer === undefined) return [[question.key, []]]
      if (mayBeUnknown(question)) return [[question.key, answer ?? null]]
      const isEmpty = answer === undefined || (typeof answer === 'string' && answer.trim() === '')
      return isEmpty ? [] : [[question.key, answer]]
    }),
  )

/** The draft of a label that was given: what a person changes who thinks again. */
export const draftOf = ({ answers, texts }: Pick<MyItem['labels'][number], 'answers' | 'texts'>): Draft => ({
  ...answers,
  ...texts,
})

/** An answer in words. */
export const answerWords = (question: Question, answer: unknown): string => {
  if (answer === null || answer === undefined) return 'Cannot tell'
  if (Array.isArray(answer)) {
    const labels = answer.map((value) => choicesOf(question).find((choice) => choice.value === value)?.label)
    return labels.length === 0 ? 'None' : labels.join(', ')
  }
  return choicesOf(question).find(({ value }) => value === answer)?.label ?? JSON.stringify(answer)
}
