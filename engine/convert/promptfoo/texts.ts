import type { Json } from '../../json.ts'
import { InvalidRegex, compileRegex } from '../../text/regex.ts'
import { dropped, noteEmpty, referenced, type Assertion } from './assertion.ts'
import { asList, asMapping, filePath, isScalar, type Place } from './notes.ts'
import { convertRegex, isJavaScriptRegex } from './regex.ts'
import { asExpression, hasTemplate, withoutComments } from './template-text.ts'

type TextKind = 'contains' | 'icontains' | 'starts-with' | 'regex'

/** Kinds whose text is literal here and a template in promptfoo, with the expression that does the same. */
const EXPRESSIONS: Readonly<Record<TextKind, (expression: string) => string>> = {
  contains: (expression) => `${expression} in output`,
  icontains: (expression) => `${expression}|lower in output|lower`,
  'starts-with': (expression) => `output is startingwith(${expression})`,
  regex: (expression) => `output|regex_match(${expression})`,
}

/** Converts an assertion with one text, which is a template in promptfoo. */
export const convertText = (kind: TextKind, value: Json | undefined, at: Place): readonly Assertion[] => {
  if (!isScalar(value)) return dropped(kind, 'its value is no text', at)
  const text = withoutComments(String(value))
  if (filePath(text) !== null) return dropped(kind, 'its text is in a file, and must be written out', at)
  if (text === '') return dropped(kind, 'its text is empty, which is an error in promptfoo', at)
  const isText = typeof value === 'string' || (typeof value === 'number' && kind.endsWith('contains'))
  if (!isText) at.notes.add(at.place, `\`${JSON.stringify(value)}\` is no text, which is an error in promptfoo`)
  if (hasTemplate(text)) return templateAssertion(kind, text, at)
  if (kind === 'regex') return regexAssertion(text, at)
  if (text.trim() === '') noteEmpty(at)
  return [{ type: kind, value: text }]
}

const templateAssertion = (kind: TextKind, text: string, at: Place): readonly Assertion[] => {
  const expression = asExpression(text)
  if (expression === null) return dropped(kind, 'its text is a template with statements', at)
  at.notes.add(at.place, `the text of \`${kind}\` is no template; a \`jinja\` assertion checks the same`)
  if (kind === 'regex')
    at.notes.add(
      at.place,
      'the pattern is one of RE2 here, without look-around and back-references, and `\\w`, `\\d`, `\\s` and `\\b` are those of Unicode',
    )
  return [{ type: 'jinja', value: EXPRESSIONS[kind](expression) }]
}

const regexAssertion = (text: string, at: Place): readonly Assertion[] => {
  if (!isJavaScriptRegex(text)) {
    at.notes.add(
      at.place,
      'the pattern is no regular expression of JavaScript: the assertion always fails in promptfoo',
    )
    return [{ type: 'regex', value: text }]
  }
  const { pattern, differences } = convertRegex(text)
  for (const { text: difference, isRare } of differences) at.notes.add(isRare ? '' : at.place, difference)
  try {
    const regex = compileRegex(pattern)
    if (['', ' ', '\n'].some((blank) => regex.test(blank))) noteEmpty(at)
  } catch (error) {
    if (!(error instanceof InvalidRegex)) throw error
    at.notes.add(at.place, `the pattern does not compile here, so the assertion is an error: ${error.message}`)
  }
  return [{ type: 'regex', value: pattern }]
}

/**
 * Converts `equals`. A text that ends in a line break gets one more, because rendering removes one. Numbers and truth
 * values are compared as texts, as promptfoo does.
 */
export const convertEqual = (value: Json | undefined, at: Place): readonly Assertion[] => {
  if (value === undefined) return dropped('equals', 'it has no value', at)
  if (filePath(value) !== null) return [{ type: 'equals', value: referenced(value, at) }]
  const list = asList(value)
  if (list !== null)
    return [{ type: 'equals', value: list.map((item) => (typeof item === 'string' ? rendered(item) : literal(item))) }]
  if (!isScalar(value)) return [{ type: 'equals', value: literal(value) }]
  const text = String(value)
  if (text.trim() === '' || hasTemplate(text)) noteEmpty(at)
  return [{ type: 'equals', value: rendered(text) }]
}

/** A text that renders to what promptfoo renders it to, line break at the end included. */
const rendered = (text: string): string => (text.endsWith('\n') ? `${text}\n` : text)

/** A value whose texts are no templates in promptfoo, and are templates here. */
const literal = (value: Json): Json => {
  if (typeof value === 'string') return rendered(/\{[{%#]/.test(value) ? `{% raw %}${value}{% endraw %}` : value)
  const members = asMapping(value)
  if (members !== null) return Object.fromEntries(Object.entries(members).map(([key, item]) => [key, literal(item)]))
  return asList(value)?.map(literal) ?? value
}

/** The texts of a kind that takes several: a list, or a text with commas between them. Null: there are none. */
export const readTexts = (value: Json | undefined): readonly string[] | null => {
  const list = typeof value === 'string' ? splitTexts(value) : asList(value)
  return list !== null && list.length > 0 && list.every(isScalar)
    ? list.map((item) => withoutComments(String(item)))
    : null
}

/** A text in quotes, in which `""` and `\"` stand for a quote; a text up to the next comma; or what is between. */
const FIELD = /"((?:\\["\\]|\\(?!["\\])|""|[^"\\])*)"\s*(?=,|$)|([^",\s][^,]*)|[\s,]+/gy

/** Splits a text at its commas. Blanks around the parts and empty parts are left out. Null: a quote is not closed. */
const splitTexts = (text: string): readonly string[] | null => {
  const fields = [...text.matchAll(FIELD)]
  if (fields.map(([field]) => field).join('') !== text) return null
  return fields.flatMap(
    ([, quoted, plain]) =>
      quoted?.replace(/\\(["\\])|""/g, (_all, character?: string) => character ?? '"') ?? plain?.trim() ?? [],
  )
}

/** Each text as an expression. Null: one is a template with statements. */
const asExpressions = (texts: readonly string[]): readonly string[] | null => {
  const expressions = texts.map(asExpression)
  return expressions.every((expression) => expression !== null) ? expressions : null
}

const joined =
  (word: 'and' | 'or') =>
  (kind: string, texts: readonly string[]): string | null => {
    const test = EXPRESSIONS[kind.startsWith('i') ? 'icontains' : 'contains']
    return (
      asExpressions(texts)
        ?.map((expression) => `(${test(expression)})`)
        .join(` ${word} `) ?? null
    )
  }

/** The expression for `contains-any` and `icontains-any`. Null: a text is a template with statements. */
export const anyOf = joined('or')

/** The expression for `contains-all` and `icontains-all`. Null: a text is a template with statements. */
export const allOf = joined('and')
