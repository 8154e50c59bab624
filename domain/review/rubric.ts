// What people decide by when they label cases: a text, questions, and what they are shown.

/** `verdict`: pass or fail. `preference`: the first of two outputs, the second, or a tie. `span`: marks in the output. */
export const QUESTION_KINDS = ['verdict', 'score', 'category', 'categories', 'preference', 'comment', 'span'] as const
export type QuestionKind = (typeof QUESTION_KINDS)[number]

/** What a later version of a rubric changes: only its words, so earlier labels still count, or what it means. */
export const RUBRIC_CHANGES = ['wording', 'meaning'] as const
export type RubricChange = (typeof RUBRIC_CHANGES)[number]

/** An option of a question. `pass` says that this answer is on the pass side of the deciding question. */
export type Option = { readonly key: string; readonly pass?: true }

/** A question without its words. Members that its kind does not have are left out. */
export type Question = {
  readonly key: string
  readonly kind: QuestionKind
  /** Whether its answer decides the final label. Of exactly one question. */
  readonly deciding: boolean
  /** Of a score: the lowest and the highest value, and the distance between two values. */
  readonly min?: number
  readonly max?: number
  readonly step?: number
  /** Of a score that decides: the least value that passes. */
  readonly pass_from?: number
  readonly options?: readonly Option[]
}

/** The words of a question: what is asked, and what each option says, by its key. */
export type QuestionWords = { readonly label: string; readonly options?: Readonly<Record<string, string>> }

/** A part of a case that reviewers see, with a heading of its own. */
export type Shown = { readonly field: string; readonly label: string }

/** All prose of a rubric but its text. */
export type RubricWords = {
  readonly name: string
  /** By the key of the question. */
  readonly questions: Readonly<Record<string, QuestionWords>>
  readonly show: readonly Shown[]
}

/** A question as a request or a response has it: with its words. */
export type WordedQuestion = Pick<Question, 'key' | 'kind'> & {
  readonly [M in 'min' | 'max' | 'step' | 'pass_from']?: number | undefined
} & {
  readonly label: string
  readonly deciding?: boolean | undefined
  readonly options?:
    | readonly { readonly key: string; readonly label: string; readonly pass?: boolean | undefined }[]
    | undefined
}

export const MAX_RUBRIC_BYTES = 64 * 1024
export const MAX_QUESTIONS = 6
export const MAX_OPTIONS = 20
export const MAX_RUBRIC_NAME = 200
export const MAX_LABEL = 400
export const MAX_SHOWN = 20
/** A score has at most so many steps: more cannot be chosen from. */
const MAX_SCORE_STEPS = 1_000
/** How long the labels of a rubric count as new, in days. */
export const VALID_DAYS = { least: 1, most: 365, default: 90 } as const

/** The key of a question or of an option. `__proto__` is left out: as a key of an object it would be lost. */
export const QUESTION_KEY = /^(?!__proto__$)[a-z0-9_]{1,32}$/

/** The answer of those who cannot tell, where answers are texts. No option has this key. */
export const CANNOT_TELL = 'cannot_tell'

/** A variable of the test, the prompt, the output, or the tools that the output calls: nothing of who answered or judged. */
const SHOWN_FIELD = /^(?:prompt|output|tool_calls|vars\..{1,200})$/s

const hasOptions = (kind: QuestionKind): boolean => kind === 'category' || kind === 'categories' || kind === 'span'

const canDecide = (kind: QuestionKind): boolean =>
  kind === 'verdict' || kind === 'score' || kind === 'category' || kind === 'preference'

/**
 * The step of a score that a value means, or null. Decimal steps such as 0.1 are not exact, so a small error is allowed: 0.1 + 0.7
 * is 0.7999999999999999, and means 0.8.
 */
export const stepOf = ({ min = 0, max = 0, step = 1 }: Question, value: number): number | null => {
  const steps = Math.round((value - min) / step)
  if (!(value >= min && value <= max) || Math.abs((value - min) / step - steps) >= 1e-6) return null
  const exact = min + steps * step
  const short = Number(exact.toPrecision(12))
  return Math.abs(short - exact) < step * 1e-6 ? short : exact
}

const scoreProblem = (question: Question): string | null => {
  const { min, max, step, pass_from, deciding } = question
  if (min === undefined || max === undefined || step === undefined) return 'a score needs min, max and step'
  if (!(min < max)) return 'min must be less than max'
  if (!(step > 0) || (max - min) / step > MAX_SCORE_STEPS)
    return `step must be more than 0, and at most ${MAX_SCORE_STEPS} steps may lead from min to max`
  if (stepOf(question, max) === null) return 'max must be a whole number of steps above min'
  if (deciding !== (pass_from !== undefined)) return 'pass_from is for a score that decides, and only for that'
  if (pass_from !== undefined && (pass_from === min || stepOf(question, pass_from) === null))
    return 'pass_from must be one of the steps above min'
  return null
}

const optionsProblem = ({ kind, options = [], deciding }: Question): string | null => {
  const least = kind === 'span' ? 1 : 2
  if (options.length < least || options.length > MAX_OPTIONS) return `${kind} needs ${least} to ${MAX_OPTIONS} options`
  if (options.some(({ key }) => !QUESTION_KEY.test(key)))
    return 'the key of an option must be 1 to 32 of a to z, 0 to 9 and _'
  if (options.some(({ key }) => key === CANNOT_TELL))
    return `an option cannot have the key ${CANNOT_TELL}: every question has this answer already`
  if (new Set(options.map(({ key }) => key)).size < options.length) return 'each option needs a key of its own'
  const passing = options.filter(({ pass }) => pass).length
  if (!deciding && passing > 0) return 'pass is for the options of a category that decides'
  if (deciding && (passing === 0 || passing === options.length))
    return 'of a category that decides, some options must have pass, and some must not'
  return null
}

const questionProblem = (question: Question): string | null => {
  const { kind, deciding, min, max, step, pass_from, options } = question
  if (deciding && !canDecide(kind)) return `${kind} cannot decide`
  if (kind === 'preference' && !deciding) return 'a preference must be the question that decides'
  if (kind === 'score') return options ? 'a score has no options' : scoreProblem(question)
  if ([min, max, step, pass_from].some((value) => value !== undefined))
    return `${kind} has no min, max, step and pass_from`
  if (hasOptions(kind)) return optionsProblem(question)
  return options ? `${kind} has no options` : null
}

/** What is wrong with the questions of a rubric, or null. */
export const questionsProblem = (questions: readonly Question[]): string | null => {
  if (questions.length === 0 || questions.length > MAX_QUESTIONS) return `questions: a rubric has 1 to ${MAX_QUESTIONS}`
  if (questions.some(({ key }) => !QUESTION_KEY.test(key)))
    return 'questions: the key of a question must be 1 to 32 of a to z, 0 to 9 and _'
  if (new Set(questions.map(({ key }) => key)).size < questions.length)
    return 'questions: each question needs a key of its own'
  for (const question of questions) {
    const problem = questionProblem(question)
    if (problem !== null) return `questions: ${question.key}: ${problem}`
  }
  if (questions.filter(({ deciding }) => deciding).length !== 1) return 'questions: exactly one must be deciding'
  return null
}

const isStoredText = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

const wordProblem = (word: string, max: number): string | null => {
  if (word.trim() === '' || [...word].length > max) return `must have 1 to ${max} characters`
  return isStoredText(word) ? null : 'must be well-formed Unicode without NUL'
}

/** What is wrong with the name, the labels and the shown fields of a rubric, or null. */
export const wordsProblem = ({ name, questions, show }: RubricWords): string | null => {
  const words: readonly (readonly [place: string, word: string, max: number])[] = [
    ['name', name, MAX_RUBRIC_NAME],
    ...Object.entries(questions).flatMap(([key, { label, options = {} }]) =>
      [label, ...Object.values(options)].map((word) => [`questions: ${key}: label`, word, MAX_LABEL] as const),
    ),
    ...show.map(({ label }) => ['show: label', label, MAX_LABEL] as const),
  ]
  for (const [place, word, max] of words) {
    const problem = wordProblem(word, max)
    if (problem !== null) return `${place} ${problem}`
  }
  if (show.length > MAX_SHOWN) return `show: at most ${MAX_SHOWN} fields`
  if (show.some(({ field }) => !SHOWN_FIELD.test(field) || !isStoredText(field)))
    return 'show: field must be prompt, output, tool_calls, or vars. and the name of a variable'
  if (new Set(show.map(({ field }) => field)).size < show.length) return 'show: each field only once'
  return null
}

/** What is wrong with the text of a rubric, or null. */
export const rubricTextProblem = (text: string): string | null => {
  if (text.trim() === '' || !isStoredText(text)) return 'text must not be empty, and be well-formed Unicode without NUL'
  const bytes = Buffer.byteLength(text)
  return bytes > MAX_RUBRIC_BYTES ? `text must have at most ${MAX_RUBRIC_BYTES} bytes of UTF-8, not ${bytes}` : null
}

/** Separates questions from their words: the log has only the first. */
export const splitQuestions = (
  worded: readonly WordedQuestion[],
): { readonly questions: readonly Question[]; readonly words: RubricWords['questions'] } => ({
  questions: worded.map(({ key, kind, deciding = false, min, max, step, pass_from, options }) => ({
    key,
    kind,
    deciding,
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
    ...(step === undefined ? {} : { step }),
    ...(pass_from === undefined ? {} : { pass_from }),
    ...(options ? { options: options.map(({ key, pass }) => (pass ? { key, pass } : { key })) } : {}),
  })),
  words: Object.fromEntries(
    worded.map(({ key, label, options }) => [
      key,
      {
        label,
        ...(options ? { options: Object.fromEntries(options.map((option) => [option.key, option.label])) } : {}),
      },
    ]),
  ),
})

/** Puts questions and their words together again. */
export const joinQuestions = (
  questions: readonly Question[],
  words: RubricWords['questions'],
): readonly WordedQuestion[] =>
  questions.map(({ options, ...question }) => {
    const said = words[question.key]
    return {
      ...question,
      label: said?.label ?? question.key,
      ...(options
        ? { options: options.map((option) => ({ ...option, label: said?.options?.[option.key] ?? option.key })) }
        : {}),
    }
  })
