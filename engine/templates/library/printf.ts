import { asInteger } from '../evaluation/arguments.ts'
import { debugText, printed } from '../values/print.ts'
import { MAX_TEXT } from '../evaluation/runtime.ts'
import { TemplateError } from '../template-error.ts'
import { plain, typeName, type Value } from '../values/value.ts'

const SPECIFIER = /%(?:\(([^)]*)\))?([-+ #0]*)(\d*|\*)(?:\.(\d+))?(.?)/gsu
const MAX_PRECISION = 100

type Style = { readonly flags: string; readonly precision: number | undefined }

/** Formats as `%` does in Python: `%s %d %.2f %05d %(name)s`. Throws for a specifier or a number of values that does not fit. */
export const printf = (text: string, positional: readonly Value[], named: ReadonlyMap<string, Value>): string => {
  let used = 0
  const next = (): Value => {
    if (used >= positional.length) throw new TemplateError('too few arguments for the format')
    return positional[used++]
  }
  const byName = (name: string): Value => {
    if (!named.has(name)) throw new TemplateError(`the format needs an argument \`${name}\``)
    return named.get(name)
  }
  const result = text.replace(
    SPECIFIER,
    (all, name: string | undefined, flags: string, width: string, precision: string | undefined, letter: string) => {
      if (letter === '%') return '%'
      const columns = width === '*' ? asInteger(next(), 'the width') : Number(width)
      if (columns > MAX_TEXT) throw new TemplateError('the width of a format is too large')
      const digits = precision === undefined ? undefined : Number(precision)
      if (digits !== undefined && digits > MAX_PRECISION && letter !== 's')
        throw new TemplateError(`the precision of a format is above ${MAX_PRECISION}`)
      const value = plain(name === undefined ? next() : byName(name))
      return padded(converted(letter, value, { flags, precision: digits }, all), flags, columns, 'sr'.includes(letter))
    },
  )
  if (used < positional.length) throw new TemplateError('too many arguments for the format')
  return result
}

const padded = (text: string, flags: string, width: number, isText: boolean): string => {
  const missing = width - Array.from(text).length
  if (missing <= 0) return text
  if (flags.includes('-')) return text + ' '.repeat(missing)
  if (!flags.includes('0') || isText) return ' '.repeat(missing) + text
  const sign = /^[-+ ]?(?:0[xo])?/i.exec(text)?.[0] ?? ''
  return sign + '0'.repeat(missing) + text.slice(sign.length)
}

const signed = (text: string, flags: string): string => {
  if (text.startsWith('-')) return text
  return flags.includes('+') ? `+${text}` : flags.includes(' ') ? ` ${text}` : text
}

const toInteger = (value: Value): bigint => {
  if (typeof value === 'bigint') return value
  if (typeof value === 'boolean') return BigInt(value)
  if (typeof value === 'number' && Number.isFinite(value)) return BigInt(Math.trunc(value))
  throw new TemplateError(`the format needs a number, not ${typeName(value)}`)
}

const toFloat = (value: Value): number => {
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return Number(value)
  throw new TemplateError(`the format needs a number, not ${typeName(value)}`)
}

const inBase = (value: bigint, base: number, prefix: string, { flags }: Style): string => {
  const digits = (value < 0n ? -value : value).toString(base)
  return signed(`${value < 0n ? '-' : ''}${flags.includes('#') ? prefix : ''}${digits}`, flags)
}

const DEFAULT_PRECISION = 6

// More digits than this behind the half of a digit tell a half from its nearest neighbours.
const MORE_DIGITS = 20
const MOST_DIGITS = 100

/**
 * Rounds a value that lies exactly between two texts to the one with an even digit, as C does; JavaScript rounds it away
 * from zero. `digits` are those behind the point that write the half; `write` writes the value with so many.
 */
const halfToEven = (rounded: string, digits: number, write: (digits: number) => string): string => {
  if (digits + MORE_DIGITS > MOST_DIGITS) return rounded
  const half = /^(-?\d+)\.(\d*)5((?:e.*)?)$/.exec(write(digits))
  if (half === null) return rounded
  const [text, whole = '', fraction = '', exponent = ''] = half
  if (
    write(digits + MORE_DIGITS) !==
    `${text.slice(0, text.length - exponent.length)}${'0'.repeat(MORE_DIGITS)}${exponent}`
  )
    return rounded
  const below = fraction === '' ? whole : `${whole}.${fraction}`
  return /[02468]$/.test(below) ? `${below}${exponent}` : rounded
}

/** An exponent has two digits at least. */
const exponential = (value: number, precision: number): string =>
  halfToEven(value.toExponential(precision), precision + 1, (digits) => value.toExponential(digits)).replace(
    /e([+-])(\d)$/,
    'e$10$2',
  )

/** Cuts the zeros at the end of a fraction, and the point if nothing is left of it. */
const withoutZeros = (text: string): string => {
  const [digits = '', exponent] = text.split('e')
  let end = digits.length
  while (digits[end - 1] === '0') end--
  if (digits[end - 1] === '.') end--
  return digits.slice(0, end) + (exponent === undefined ? '' : `e${exponent}`)
}

const general = (value: number, precision: number, { flags }: Style): string => {
  const digits = Math.max(1, precision)
  const exponent = value === 0 ? 0 : Number(value.toExponential(digits - 1).split('e')[1])
  const text =
    exponent < -4 || exponent >= digits ? exponential(value, digits - 1) : fixed(value, digits - 1 - exponent)
  return flags.includes('#') || !text.includes('.') ? text : withoutZeros(text)
}

const float = (letter: string, value: number, style: Style): string => {
  if (!Number.isFinite(value)) return signed(Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf', style.flags)
  const precision = style.precision ?? DEFAULT_PRECISION
  switch (letter) {
    case 'f':
      return signed(fixed(value, precision), style.flags)
    case 'e':
      return signed(exponential(value, precision), style.flags)
    default:
      return signed(general(value, precision, style), style.flags)
  }
}

const LARGEST_FIXED = 1e21

/** `toFixed` writes an exponent from 1e21 on, where a double has no fraction. */
const fixed = (value: number, precision: number): string =>
  Math.abs(value) < LARGEST_FIXED
    ? halfToEven(value.toFixed(precision), precision + 1, (digits) => value.toFixed(digits))
    : `${BigInt(value)}${precision > 0 ? `.${'0'.repeat(precision)}` : ''}`

const converted = (letter: string, value: Value, style: Style, specifier: string): string => {
  const upper = letter.toUpperCase() === letter
  switch (letter) {
    case 's':
      return cut(printed(value), style)
    case 'r':
      return cut(debugText(value), style)
    case 'd':
    case 'i':
    case 'u':
      return signed(String(toInteger(value)), style.flags)
    case 'x':
      return inBase(toInteger(value), 16, '0x', style)
    case 'X':
      return inBase(toInteger(value), 16, '0x', style).toUpperCase()
    case 'o':
      return inBase(toInteger(value), 8, '0o', style)
    case 'c':
      return typeof value === 'string' ? value : String.fromCodePoint(codePoint(toInteger(value)))
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G': {
      const text = float(letter.toLowerCase(), toFloat(value), style)
      return upper ? text.toUpperCase() : text
    }
    default:
      throw new TemplateError(`\`${specifier}\` is no specifier of a format`)
  }
}

const MAX_CODE_POINT = 0x10ffff

const codePoint = (value: bigint): number => {
  if (value < 0n || value > MAX_CODE_POINT) throw new TemplateError(`${value} is no character`)
  return Number(value)
}

const cut = (text: string, { precision }: Style) =>
  precision === undefined ? text : Array.from(text).slice(0, precision).join('')
