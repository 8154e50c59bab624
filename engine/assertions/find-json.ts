import { parseExact } from '../../domain/run/canonical-json.ts'
import type { Json } from '../json.ts'
import { parseFloats } from '../numbers.ts'

/** Parses a text as JSON; `undefined` if it is not JSON. */
export const parsedJson = (text: string): Json | undefined => parsed(text, (json) => parseExact(json) as Json)

/** Parses a text as JSON for templates: floats with an integral value keep their fraction. */
export const parsedFloats = (text: string): Json | undefined => parsed(text, parseFloats)

const parsed = (text: string, parse: (json: string) => Json): Json | undefined => {
  try {
    return parse(text.trim())
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/**
 * Finds JSON in a text: the whole text, else the piece from the first bracket `{` or `[` to its closing bracket. Only
 * that kind of bracket is counted, and quotes are ignored. Fenced code blocks work this way. `undefined`: that piece is
 * not JSON, or there is none.
 */
export const findJson = (text: string): Json | undefined => {
  const whole = parsedJson(text)
  if (whole !== undefined) return whole
  const start = text.search(/[{[]/)
  if (start < 0) return undefined
  const open = text[start]!
  const close = open === '{' ? '}' : ']'
  let depth = 0
  for (let index = start; index < text.length; index++) {
    if (text[index] === open) depth++
    else if (text[index] === close) depth--
    if (depth === 0) return parsedJson(text.slice(start, index + 1))
  }
  return undefined
}
