import { TemplateError } from '../template-error.ts'
import { MapValue, NOTHING, SafeText, isList, isUndefined, type Value } from './value.ts'

/** The text that `{{ value }}` prints. Throws for an undefined value. */
export const printed = (value: Value): string => {
  if (typeof value === 'string') return value
  if (value === undefined) throw new TemplateError('undefined value')
  if (value === NOTHING) return ''
  if (value instanceof SafeText) return value.text
  if (typeof value === 'number') return decimalText(value)
  return debugText(value)
}

/** The debug form of a value, as it prints inside a list or a map. */
export const debugText = (value: Value): string => {
  if (isUndefined(value)) return 'undefined'
  if (value === null) return 'none'
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return floatText(value)
  if (typeof value === 'string') return quoted(value)
  if (value instanceof SafeText) return quoted(value.text)
  if (isList(value)) return `[${value.map(debugText).join(', ')}]`
  if (!(value instanceof MapValue)) return `<${value.label}>`
  const members = value.pairs().map(([key, member]) => `${debugText(key)}: ${debugText(member)}`)
  return `{${members.join(', ')}}`
}

const INDENT = '    '

/** The debug form over several lines (filter `pprint`). */
export const prettyText = (value: Value, indent = ''): string => {
  const inner = indent + INDENT
  if (isList(value) && value.length > 0)
    return `[\n${value.map((item) => `${inner}${prettyText(item, inner)},\n`).join('')}${indent}]`
  if (value instanceof MapValue && value.size > 0)
    return `{\n${value
      .pairs()
      .map(([key, member]) => `${inner}${debugText(key)}: ${prettyText(member, inner)},\n`)
      .join('')}${indent}}`
  return debugText(value)
}

const special = (value: number): string | null => {
  if (Number.isNaN(value)) return 'NaN'
  if (value === Infinity) return 'inf'
  if (value === -Infinity) return '-inf'
  return Object.is(value, -0) ? '-0.0' : null
}

/** The shortest decimal digits of a float without an exponent, with a fraction: `1.0`, `0.0000001`. */
const decimalText = (value: number): string => {
  const word = special(value)
  if (word !== null) return word
  const short = String(value)
  const text = short.includes('e') ? withoutExponent(short) : short
  return text.includes('.') ? text : `${text}.0`
}

const withoutExponent = (short: string): string => {
  const [mantissa = '', exponentText = ''] = short.split('e')
  const sign = mantissa.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const point = whole.length + Number(exponentText)
  const digits = whole + fraction
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  if (point >= digits.length) return `${sign}${digits}${'0'.repeat(point - digits.length)}`
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

const SMALLEST_WITHOUT_EXPONENT = 1e-4
const LARGEST_WITHOUT_EXPONENT = 1e16

/** The shortest decimal digits of a float, with an exponent outside of 1e-4 to 1e16: `1.0`, `1e-7`, `1.5e20`. */
export const floatText = (value: number, smallest = SMALLEST_WITHOUT_EXPONENT): string => {
  const word = special(value)
  if (word !== null) return word
  const size = Math.abs(value)
  if (value === 0 || (size >= smallest && size < LARGEST_WITHOUT_EXPONENT)) return decimalText(value)
  return value.toExponential().replace('e+', 'e')
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\0': '\\0',
}
const ESCAPED = /["\\]|[\p{C}\p{Zl}\p{Zp}\p{Mn}\p{Me}]|(?! )\p{Zs}/gu

const quoted = (text: string): string =>
  `"${text.replace(ESCAPED, (character) => ESCAPES[character] ?? `\\u{${character.codePointAt(0)!.toString(16)}}`)}"`
