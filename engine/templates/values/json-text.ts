import { parseExact } from '../../../domain/run/canonical-json.ts'
import type { Json } from '../../json.ts'
import { debugText, floatText } from './print.ts'
import { TemplateError } from '../template-error.ts'
import { MapValue, SafeText, isCallable, isUndefined, typeName, type Key, type Value } from './value.ts'

/** Returns a value as JSON; `undefined` for an undefined value. Infinity and NaN are null. Throws for functions. */
export const toJson = (value: Value): Json | undefined => {
  if (isUndefined(value)) return undefined
  if (typeof value === 'bigint') return integerJson(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof SafeText) return value.text
  if (isCallable(value)) throw new TemplateError(`a value of type ${typeName(value)} is no data`)
  if (value instanceof MapValue)
    return Object.fromEntries(value.pairs().map(([key, member]) => [keyText(key), toJson(member) ?? null]))
  return value.map((item) => toJson(item) ?? null)
}

const integerJson = (value: bigint): Json =>
  BigInt(Number(value)) === value ? Number(value) : (parseExact(String(value)) as Json)

const keyText = (key: Key): string => (typeof key === 'string' ? key : key === null ? 'none' : debugText(key))

// Floats below this are written with an exponent.
const SMALLEST_JSON_FLOAT = 1e-5

/** Exponents have a sign in JSON texts, unlike in printed values. */
const jsonFloat = (value: number): string => floatText(value, SMALLEST_JSON_FLOAT).replace(/e(?=\d)/, 'e+')

/** Writes JSON with sorted keys: compact, or over several lines with this many spaces a level. */
export const jsonText = (value: Value, indent = 0): string => write(value, indent, '\n')

const write = (value: Value, indent: number, lineEnd: string): string => {
  if (typeof value === 'string') return JSON.stringify(value)
  if (value instanceof SafeText) return JSON.stringify(value.text)
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return Number.isFinite(value) ? jsonFloat(value) : 'null'
  if (value === null) return 'null'
  if (isUndefined(value)) throw new TemplateError('undefined value')
  const inner = lineEnd + ' '.repeat(indent)
  if (value instanceof MapValue)
    return enclosed(
      '{}',
      value
        .pairs()
        .map(
          ([key, member]) => `${JSON.stringify(keyText(key))}:${indent > 0 ? ' ' : ''}${write(member, indent, inner)}`,
        ),
      indent,
      lineEnd,
    )
  if (isCallable(value)) throw new TemplateError(`a value of type ${typeName(value)} is no data`)
  return enclosed(
    '[]',
    value.map((item) => write(item, indent, inner)),
    indent,
    lineEnd,
  )
}

const enclosed = (brackets: string, parts: readonly string[], indent: number, lineEnd: string): string => {
  const [open, close] = brackets
  if (parts.length === 0) return brackets
  if (indent === 0) return `${open}${parts.join(',')}${close}`
  const inner = lineEnd + ' '.repeat(indent)
  return `${open}${inner}${parts.join(`,${inner}`)}${lineEnd}${close}`
}
