import { CANNOT_TELL, stepOf, type Question, type QuestionWords } from './rubric.ts'
import type { GivenAnswer } from './final.ts'

// Labels that people gave in another tool, in the words of a rubric.

/** The formats of labels of other tools. */
export const LABEL_FORMATS = ['label-studio', 'argilla', 'langfuse', 'langsmith', 'csv'] as const
export type LabelFormat = (typeof LABEL_FORMATS)[number]

/** Labels of one import, at most: all of them are recorded at once. */
export const MAX_IMPORTED_LABELS = 10_000
/** Characters of the name of a reviewer. */
export const MAX_FOREIGN_NAME = 200

/** The key under which the texts of an imported label have the name of its reviewer. No question can have it. */
export const REVIEWER_NAME = '@reviewer'

/** A label as another tool exported it. `key` names its case; `given_at` is in epoch milliseconds. */
export type ForeignLabel = {
  /** Where it is in the file, in words. */
  readonly place: string
  readonly key: string | null
  readonly reviewer: string | null
  readonly answer: string | number | boolean
  readonly comment: string | null
  readonly seconds: number | null
  readonly given_at: number | null
}

/** Why something in a file is not imported. */
export const LEFT_OUT = [
  'not_by_a_person',
  'cancelled',
  'not_submitted',
  'other_question',
  'no_answer',
  'unmatched',
  'ambiguous',
  'not_judged',
  'comment',
  'column',
] as const
export type LeftOutReason = (typeof LEFT_OUT)[number]

/** How many things of a file were left out for one reason, and where the first ones are. */
export type LeftOut = { readonly reason: LeftOutReason; readonly count: number; readonly first: readonly string[] }

const MAX_PLACES = 10

/** Counts what is left out, by reason. */
export const leftOutCounts = (): {
  readonly add: (reason: LeftOutReason, place: string) => void
  readonly all: () => LeftOut[]
} => {
  const found = new Map<LeftOutReason, { count: number; first: string[] }>()
  return {
    add: (reason, place) => {
      const entry = found.get(reason) ?? { count: 0, first: [] }
      found.set(reason, entry)
      entry.count += 1
      if (entry.first.length < MAX_PLACES) entry.first.push(place)
    },
    all: () => LEFT_OUT.flatMap((reason) => (found.has(reason) ? [{ reason, ...found.get(reason)! }] : [])),
  }
}

/** What values of the tool mean. `pass` is for verdicts: all other values fail then. */
export type ValueMeanings = { readonly pass: readonly string[]; readonly cannot_tell: readonly string[] }

const PASSES: ReadonlySet<string> = new Set(['pass', 'true', '1'])
const FAILS: ReadonlySet<string> = new Set(['fail', 'false', '0'])

type Answer = { readonly answer: GivenAnswer; readonly problem: null } | { readonly problem: string }
const answered = (answer: GivenAnswer): Answer => ({ answer, problem: null })

const verdict = (value: string, { pass }: ValueMeanings): Answer => {
  if (pass.length > 0) return answered(pass.includes(value) ? 'pass' : 'fail')
  const word = value.toLowerCase()
  if (PASSES.has(word)) return answered('pass')
  if (FAILS.has(word)) return answered('fail')
  return { problem: `${JSON.stringify(value)} is neither pass nor fail: say with pass which values pass` }
}

/** The answer to the deciding question that a value of another tool is, or what is wrong with it. */
export const importedAnswer = (
  question: Question,
  words: QuestionWords | undefined,
  value: ForeignLabel['answer'],
  meanings: ValueMeanings,
): Answer => {
  const text = String(value)
  if (text === CANNOT_TELL || meanings.cannot_tell.includes(text)) return answered(null)
  if (question.kind === 'verdict') return verdict(text, meanings)
  if (question.kind === 'score') {
    const number = typeof value === 'string' && value.trim() === '' ? NaN : Number(value)
    const step = stepOf(question, number)
    return step === null
      ? {
          problem: `${JSON.stringify(value)} is no number from ${question.min} to ${question.max} in steps of ${question.step}`,
        }
      : answered(step)
  }
  const option = question.options?.find(({ key }) => key === text || words?.options?.[key] === text)
  return option ? answered(option.key) : { problem: `${JSON.stringify(value)} is none of the options of the rubric` }
}
