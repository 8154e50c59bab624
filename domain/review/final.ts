import { CANNOT_TELL, stepOf, type Question } from './rubric.ts'

// What a label decides, and when the labels of an item make a final one.

/** `case`: was the whole case judged rightly? `metric`: one judged assertion. */
export const QUEUE_TARGETS = ['case', 'metric'] as const
export type QueueTarget = (typeof QUEUE_TARGETS)[number]

/** What happens to a full item whose labels differ: an adjudicator decides it, or the majority does where there is one. */
export const RESOLVES = ['adjudicate', 'majority'] as const
export type Resolve = (typeof RESOLVES)[number]

export const REVIEW_ROLES = ['reviewer', 'adjudicator'] as const
export type ReviewRole = (typeof REVIEW_ROLES)[number]

export const DECLINE_REASONS = ['conflict', 'not_qualified', 'unreadable'] as const
export type DeclineReason = (typeof DECLINE_REASONS)[number]

export const WITHDRAW_REASONS = ['mistake', 'conflict'] as const
export type WithdrawReason = (typeof WITHDRAW_REASONS)[number]

/** `enforced`: the account could see nothing but items. `trusted`: it could have looked up more. `unknown`: of an imported label. */
export type BlindKind = 'enforced' | 'trusted' | 'unknown'

export const ITEM_STATES = ['open', 'waiting', 'final', 'gone'] as const
export type ItemState = (typeof ITEM_STATES)[number]

/**
 * The answer to the deciding question. Two labels agree if `answer` is equal: of a score it is the side, and `score` its value.
 * `passes` is null for "cannot tell" and for preferences.
 */
export type Decision = { readonly answer: string; readonly passes: 0 | 1 | null; readonly score: number | null }

/** An answer to a question that is not prose; null is "cannot tell". */
export type GivenAnswer = string | number | readonly string[] | null

export const LABEL_LIMITS = { comment: 4_000, marks: 50, seconds: 3_600 } as const

const VERDICTS: ReadonlySet<unknown> = new Set(['pass', 'fail'])
const PREFERENCES: ReadonlySet<unknown> = new Set(['a', 'b', 'tie'])

/** What the deciding answer of a label says. `answer` is one that `answerProblem` accepts. */
export const decisionOf = (question: Question, answer: GivenAnswer): Decision => {
  if (answer === null) return { answer: CANNOT_TELL, passes: null, score: null }
  const sideOf = (passes: boolean) => (passes ? 1 : 0)
  if (typeof answer === 'number') {
    const score = stepOf(question, answer) ?? answer
    const passes = sideOf(score >= (stepOf(question, question.pass_from ?? Infinity) ?? Infinity))
    return { answer: passes === 1 ? 'pass' : 'fail', passes, score }
  }
  const key = String(answer)
  if (question.kind === 'preference') return { answer: key, passes: null, score: null }
  if (question.kind === 'verdict') return { answer: key, passes: sideOf(key === 'pass'), score: null }
  const passes = question.options?.find((option) => option.key === key)?.pass === true
  return { answer: key, passes: sideOf(passes), score: null }
}

type Mark = { readonly start: number; readonly end: number; readonly option: string }

const isKnown = ({ options = [] }: Question, key: unknown): boolean => options.some((option) => option.key === key)

const isMark = (question: Question, mark: unknown): mark is Mark => {
  const { start, end, option, ...rest } = (typeof mark === 'object' && mark !== null ? mark : {}) as Partial<Mark>
  return (
    Number.isSafeInteger(start) &&
    Number.isSafeInteger(end) &&
    start! >= 0 &&
    end! > start! &&
    isKnown(question, option) &&
    Object.keys(rest).length === 0
  )
}

/** What is wrong with an answer, or null. Undefined: none was given. */
const answerProblem = (question: Question, answer: unknown): string | null => {
  const { kind } = question
  if (kind === 'comment') {
    if (answer === undefined) return null
    if (typeof answer !== 'string' || !answer.isWellFormed() || answer.includes('\0'))
      return 'must be well-formed Unicode without NUL'
    return [...answer].length > LABEL_LIMITS.comment ? `must have at most ${LABEL_LIMITS.comment} characters` : null
  }
  if (kind === 'span') {
    if (answer === undefined) return null
    if (!Array.isArray(answer) || !answer.every((mark) => isMark(question, mark)))
      return 'must be a list of marks: start, end and one of the options'
    return answer.length > LABEL_LIMITS.marks ? `must have at most ${LABEL_LIMITS.marks} marks` : null
  }
  if (answer === undefined) return 'is missing; null says that you cannot tell'
  if (answer === null) return null
  if (kind === 'verdict') return VERDICTS.has(answer) ? null : 'must be pass or fail'
  if (kind === 'preference') return PREFERENCES.has(answer) ? null : 'must be a, b or tie'
  if (kind === 'score')
    return typeof answer === 'number' && stepOf(question, answer) !== null
      ? null
      : `must be a number from ${question.min} to ${question.max} in steps of ${question.step}`
  if (kind === 'category') return isKnown(question, answer) ? null : 'must be one of the options'
  return Array.isArray(answer) &&
    answer.every((key) => isKnown(question, key)) &&
    new Set(answer).size === answer.length
    ? null
    : 'must be a list of options, each once'
}

/** Answers as an event has them, and the comments and marks apart; null without any. */
export type SplitAnswers = {
  readonly answers: Readonly<Record<string, GivenAnswer>>
  readonly texts: Readonly<Record<string, unknown>> | null
  readonly decides: Decision
}

const isProse = ({ kind }: Question): boolean => kind === 'comment' || kind === 'span'
const isEmpty = (answer: unknown): boolean =>
  answer === undefined || answer === '' || (Array.isArray(answer) && answer.length === 0)

/** Takes the answers of a label apart. Returns what is wrong with them as `problem`. */
export const splitAnswers = (
  questions: readonly Question[],
  given: Readonly<Record<string, unknown>>,
): { readonly problem: string } | (SplitAnswers & { readonly problem: null }) => {
  const unknown = Object.keys(given).find((key) => !questions.some((question) => question.key === key))
  if (unknown !== undefined) return { problem: `answers: ${unknown}: the rubric has no such question` }
  for (const question of questions) {
    const answer = Object.hasOwn(given, question.key) ? given[question.key] : undefined
    const problem = answerProblem(question, answer)
    if (problem !== null) return { problem: `answers: ${question.key}: ${problem}` }
  }
  const texts = Object.fromEntries(
    questions.flatMap((question) => {
      const answer = given[question.key]
      return isProse(question) && !isEmpty(answer) ? [[question.key, answer]] : []
    }),
  )
  const answers = Object.fromEntries(
    questions.flatMap((question) => {
      if (isProse(question)) return []
      const answer = given[question.key] as GivenAnswer
      return [[question.key, typeof answer === 'number' ? stepOf(question, answer) : answer]]
    }),
  )
  const deciding = questions.find((question) => question.deciding)
  if (!deciding) throw new Error('a rubric without a deciding question')
  return {
    problem: null,
    answers,
    texts: Object.keys(texts).length === 0 ? null : texts,
    decides: decisionOf(deciding, answers[deciding.key] ?? null),
  }
}

/**
 * What the votes of an item decide: the answer that all of them have, or more than half of them where the majority decides; null
 * if it waits for adjudication, or is not full. `review_items` has the same rule in SQL.
 */
export const finalOf = (votes: readonly string[], per_item: number, resolve: Resolve): string | null => {
  if (votes.length < per_item) return null
  const counts = Map.groupBy(votes, (vote) => vote)
  for (const [answer, { length }] of counts)
    if (resolve === 'majority' ? 2 * length > votes.length : length === votes.length) return answer
  return null
}

/** The letter by which others know a reviewer of a queue: A, B, … Z, AA, AB. */
export const letterOf = (person: number): string =>
  (person < 26 ? '' : letterOf(Math.floor(person / 26) - 1)) + String.fromCharCode(65 + (person % 26))
