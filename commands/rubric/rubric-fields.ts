import {
  questionsProblem,
  rubricTextProblem,
  splitQuestions,
  wordsProblem,
  type Question,
  type RubricWords,
  type Shown,
  type WordedQuestion,
} from '../../domain/review/rubric.ts'
import { Refused } from '../refused.ts'

/** What a version of a rubric says. */
export type RubricFields = {
  readonly name: string
  readonly text: string
  readonly questions: readonly WordedQuestion[]
  readonly show: readonly Shown[]
  readonly valid_days: number
}

/** The questions of a rubric and its words, apart. Refuses: unprocessable. */
export const rubricParts = ({
  name,
  text,
  questions: worded,
  show,
}: Omit<RubricFields, 'valid_days'>): { readonly questions: readonly Question[]; readonly words: RubricWords } => {
  const { questions, words: ofQuestions } = splitQuestions(worded)
  const words = { name, questions: ofQuestions, show: show.map(({ field, label }) => ({ field, label })) }
  const problem = questionsProblem(questions) ?? wordsProblem(words) ?? rubricTextProblem(text)
  if (problem !== null) throw new Refused('unprocessable', problem)
  return { questions, words }
}
