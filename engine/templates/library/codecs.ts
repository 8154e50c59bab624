import { parseFloats } from '../../numbers.ts'
import { InvalidRegex, compileRegex, type Regex } from '../../text/regex.ts'
import { asInteger, asText, bind, noArguments, required } from '../evaluation/arguments.ts'
import { hexHash } from './hashes.ts'
import { jsonText } from '../values/json-text.ts'
import { printed } from '../values/print.ts'
import type { Filter, Runtime } from '../evaluation/runtime.ts'
import { TemplateError } from '../template-error.ts'
import { SafeText, fromJson, type Value } from '../values/value.ts'

const made = (text: string, runtime: Runtime): string => {
  runtime.countText(text.length)
  return text
}

const HTML: Readonly<Record<string, string>> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026', "'": '\\u0027' }
const DEFAULT_INDENT = 2
const MAX_INDENT = 100

const indentOf = (value: Value): number => {
  if (value === undefined || value === false || value === null) return 0
  const spaces = value === true ? DEFAULT_INDENT : asInteger(value, 'indent')
  if (spaces < 0 || spaces > MAX_INDENT) throw new TemplateError(`indent must be 0 to ${MAX_INDENT}`)
  return spaces
}

const tojson: Filter = (value, args, runtime) => {
  const [indent] = bind(args, 'indent')
  const text = jsonText(value, indentOf(indent)).replace(/[<>&']/g, (character) => HTML[character]!)
  return new SafeText(made(text, runtime))
}

const toPlainJson: Filter = (value, args, runtime) => {
  noArguments(args)
  return made(jsonText(value), runtime)
}

const fromJsonText: Filter = (value, args, runtime) => {
  noArguments(args)
  const text = printed(value)
  runtime.count(text.length)
  try {
    return fromJson(parseFloats(text))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new TemplateError(`the value is not JSON: ${error.message}`, undefined, { cause: error })
  }
}

const encodeBase64: Filter = (value, args, runtime) => {
  noArguments(args)
  return made(Buffer.from(printed(value), 'utf8').toString('base64'), runtime)
}

const decodeBase64: Filter = (value, args, runtime) => {
  noArguments(args)
  const text = asText(value, 'the value')
  const bytes = Buffer.from(text, 'base64')
  // Buffer skips what it does not know, so the text must be what these bytes encode to.
  if (bytes.toString('base64') !== text)
    throw new TemplateError('the value is not base64 (standard alphabet, with padding)')
  try {
    return made(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), runtime)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new TemplateError('the decoded bytes are not UTF-8', undefined, { cause: error })
  }
}

/** Percent-encodes all but letters, digits and `-._~/`, as Jinja does for a text. */
const urlencode: Filter = (value, args, runtime) => {
  noArguments(args)
  return made(
    encodeURIComponent(printed(value).toWellFormed())
      .replaceAll('%2F', '/')
      .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`),
    runtime,
  )
}

const hash =
  (algorithm: 'sha256' | 'md5' | 'blake3'): Filter =>
  (value, args) => {
    noArguments(args)
    return hexHash(algorithm, printed(value))
  }

const regexOf = (pattern: string): Regex => {
  try {
    return compileRegex(pattern)
  } catch (error) {
    if (!(error instanceof InvalidRegex)) throw error
    throw new TemplateError(`invalid regex /${pattern}/: ${error.message}`, undefined, { cause: error })
  }
}

const regexMatch: Filter = (value, args, runtime) => {
  const [pattern] = bind(args, 'pattern')
  const text = printed(value)
  runtime.count(text.length)
  return regexOf(asText(required(pattern, 'pattern'), 'pattern')).test(text)
}

const regexReplace: Filter = (value, args, runtime) => {
  const [pattern, replacement] = bind(args, 'pattern', 'replacement')
  const regex = regexOf(asText(required(pattern, 'pattern'), 'pattern'))
  const text = printed(value)
  const to = asText(required(replacement, 'replacement'), 'replacement')
  runtime.count(text.length)
  // At most one match for each character, and one at the end; a group is no longer than its match.
  runtime.countText(text.length + (text.length + 1) * to.length)
  return regex.replaceAll(text, to)
}

export const codecFilters: ReadonlyArray<readonly [string, Filter]> = [
  ['tojson', tojson],
  ['to_json', toPlainJson],
  ['json_encode', toPlainJson],
  ['from_json', fromJsonText],
  ['json_decode', fromJsonText],
  ['b64encode', encodeBase64],
  ['b64decode', decodeBase64],
  ['urlencode', urlencode],
  ['sha256', hash('sha256')],
  ['md5', hash('md5')],
  ['blake3', hash('blake3')],
  ['regex_match', regexMatch],
  ['regex_replace', regexReplace],
]
