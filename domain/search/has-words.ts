import { partWords } from './parts.ts'
import { alternatives, type SearchQuery } from './query.ts'
import { tokenize, type Term } from './tokenizer.ts'

/** Whether the tokens of a term follow each other in some words; the last token may be the beginning of a word. */
const hasTerm = (words: readonly string[], term: Term): boolean => {
  const last = term.length - 1
  return words.some((_, from) =>
    term.every((token, n) => (n === last ? words[from + n]?.startsWith(token) : words[from + n] === token)),
  )
}

/** Whether a text has all that a query asks for, by the rule of the index: words, and parts of words that are found from any part. */
export const hasWords = (text: string, { wanted }: SearchQuery): boolean => {
  const fields = [tokenize(text), partWords([], [text]).split(' ')]
  return (
    wanted.length > 0 &&
    wanted.every((each) => alternatives(each).some((term) => fields.some((words) => hasTerm(words, term))))
  )
}
