import { tokenize } from '../../../domain/search/tokenizer.ts'

// The rule of the search in its simplest form, by regular expressions and without an index.

const SYMBOL = String.raw`[\p{S}--[\x00-\x7f\u2500-\u259f]]`
const WITHOUT_BREAKS = String.raw`[\p{L}&&[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{scx=Yi}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tibetan}\p{scx=Javanese}\p{scx=Arabic}\p{scx=Hebrew}\p{scx=Syriac}]]`
const STRETCH = new RegExp(String.raw`[\p{L}\p{N}${SYMBOL}]+[+#]*`, 'gv')
const ANYWHERE = new RegExp(`${WITHOUT_BREAKS}|${SYMBOL}`, 'v')

const plain = (text: string): string => text.normalize('NFKD').replace(/[\p{M}\p{Cf}]/gu, '')
const lower = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ').replaceAll('ß', 'ss')

const isId = (word: string): boolean =>
  word.length >= 6 && /\d/.test(word) && (/^[\da-z]*$/.test(word) || /^[\dA-Z]*$/.test(word)) && /[a-z]/i.test(word)

/** The stretches of a text that are found from any part of them. */
const anywhereIn = (text: string): string[] =>
  (plain(text).match(STRETCH) ?? [])
    .filter((each) => ANYWHERE.test(each) || (each.length <= 64 && (/[+#]$/.test(each) || isId(each))))
    .map(lower)

const withSs = (words: readonly string[]): string[] => words.map((word) => word.replaceAll('ß', 'ss'))

const hasPhrase = (words: readonly string[], term: readonly string[]): boolean =>
  words.some((_, from) =>
    term.every((each, n) => (n === term.length - 1 ? words[from + n]?.startsWith(each) : words[from + n] === each)),
  )

/** What the rule reads of the texts and the ids of a case. */
export type Ruled = {
  readonly anywhere: readonly string[]
  readonly words: ReadonlyArray<readonly string[]>
  readonly ids: readonly string[]
}

export const searchRule = (texts: readonly string[], ids: readonly string[]): Ruled => ({
  anywhere: texts.flatMap(anywhereIn),
  words: texts.map(tokenize),
  ids: ids.map((id) => lower(plain(id))),
})

type Rule = (ruled: Ruled) => boolean

const isPart =
  (part: string): Rule =>
  ({ anywhere }) =>
    anywhere.some((each) => each.includes(part))

/** Words in a row; one alone also in the form with ss, and as a part of an id. */
const hasWords = (typed: string): Rule => {
  const term = tokenize(typed)
  const [only = '', ...more] = term
  const isPartOfId = more.length === 0 && /^[0-9a-z]{4,64}$/.test(only) && /\d/.test(only) ? isPart(only) : () => false
  return (ruled) =>
    ruled.words.some(
      (words) => hasPhrase(words, term) || (more.length === 0 && hasPhrase(withSs(words), withSs(term))),
    ) || isPartOfId(ruled)
}

const wordRules = (word: string): Rule[] => {
  const text = plain(word)
  const parts = [...text.matchAll(STRETCH)].filter(
    ({ 0: stretch, index }) =>
      ANYWHERE.test(stretch) || (/[+#]$/.test(stretch) && !/^[\p{L}\p{N}]/u.test(text.slice(index + stretch.length))),
  )
  if (parts.length === 0) return [hasWords(word)]
  let others = text
  for (const { 0: stretch, index } of parts.toReversed())
    others = `${others.slice(0, index)}\n${others.slice(index + stretch.length)}`
  return [
    ...parts.map(([stretch]) => isPart([...lower(stretch)].slice(0, 64).join(''))),
    ...others
      .split('\n')
      .filter((each) => tokenize(each).length > 0)
      .map(hasWords),
  ]
}

/** Whether a case has all words of a query, or an id of it is, or begins with, the query. */
export const readByRule = (q: string): Rule => {
  const words = q
    .replaceAll('"', '')
    .split(/\s+/)
    .filter((word) => tokenize(word).length > 0 || (plain(word).match(STRETCH) ?? []).length > 0)
  if (words.length === 0) return () => false
  const rules = words.flatMap(wordRules)
  const asked = lower(plain(q.trim()))
  const mayBeId = /[^\p{L}\p{M}\s]/u.test(q)
  const isBeginning = [...asked].length >= 4
  return (ruled) =>
    rules.every((isFound) => isFound(ruled)) ||
    (mayBeId && ruled.ids.some((id) => id === asked || (isBeginning && id.startsWith(asked))))
}
