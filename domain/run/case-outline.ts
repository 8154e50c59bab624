import { firstCodePoints, type NormalCase } from './document.ts'

// What a row of a case list says about a case in one line.

/** Maximum length of these lines in code points. */
const MAX_LINE = 240

type Call = { readonly name: string; readonly arguments: unknown }

const argument = (value: unknown): string => JSON.stringify(value) ?? 'null'

const argumentsText = (given: unknown): string => {
  if (given === null || given === undefined) return ''
  if (typeof given !== 'object' || Array.isArray(given)) return argument(given)
  return Object.entries(given)
    .map(([name, value]) => `${name}: ${argument(value)}`)
    .join(', ')
}

/** The first tool call of a case, as `book_flight(from: "NYC")`, and the number of further ones; null without calls. */
export const callLine = (calls: readonly Call[] | undefined): string | null => {
  const [first, ...others] = calls ?? []
  if (!first) return null
  const more = others.length === 0 ? '' : ` +${others.length}`
  const line = `${first.name}(${argumentsText(first.arguments)})`
  const shortened = firstCodePoints(line, MAX_LINE)
  return `${shortened === line ? line : `${shortened}…`}${more}`
}

const FAILS = /\b(?:fail(?:s|ed|ure)?|incorrect|wrong|missing|does not|did not|not met)\b/i

/**
 * The first sentence of why a case did not pass: of the first assertion that failed, and there of the first paragraph that
 * mentions a failure. Null if no assertion failed or gave a reason.
 */
export const failureLine = ({ asserts }: Pick<NormalCase, 'asserts'>): string | null => {
  const failed = asserts.find(({ status, reason }) => (status === 'fail' || status === 'error') && reason.trim() !== '')
  if (!failed) return null
  const paragraphs = failed.reason.split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== '')
  const paragraph = paragraphs.find((each) => FAILS.test(each)) ?? paragraphs[0] ?? ''
  const line = paragraph.replaceAll(/\s+/g, ' ').trim()
  const end = /[.!?](?=\s)/.exec(line.slice(0, MAX_LINE * 2))
  const sentence = end ? line.slice(0, end.index + 1) : line
  const shortened = firstCodePoints(sentence, MAX_LINE)
  return shortened === sentence ? sentence : `${shortened}…`
}
