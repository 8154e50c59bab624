import { isExactDouble, isRawNumber, parseExact, type RawNumber } from '../domain/run/canonical-json.ts'
import type { Json } from './json.ts'

// A double cannot say whether it was written `1` or `1.0`. Where templates see the difference, a float with an integral
// value keeps its token as a `RawNumber`; everywhere else it is a plain number.

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown
const json = JSON as unknown as {
  parse(text: string, reviver: Reviver): unknown
  rawJSON(token: string): RawNumber
}

const isIntegralFloat = (token: string): boolean => /[.eE]/.test(token) && Number.isInteger(Number(token))

/** Returns a decimal number token as a value: a float with an integral value, or one that no double holds, as written. */
export const exactNumber = (token: string): number | RawNumber =>
  isIntegralFloat(token) || !isExactDouble(token) ? json.rawJSON(token) : Number(token)

/** Parses like `parseExact`; floats with an integral value keep their text too. Throws `SyntaxError`. */
export const parseFloats = (text: string): Json =>
  (/\d[.eE]/.test(text)
    ? json.parse(text, (_key, value, { source }) =>
        typeof value === 'number' && source !== undefined ? exactNumber(source) : value,
      )
    : parseExact(text)) as Json

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

const plainNumber = (value: RawNumber): Json => {
  const token = value.rawJSON
  return isIntegralFloat(token) && isExactDouble(token) ? Number(token) : value
}

/**
 * Returns a value with plain numbers wherever a double holds them, except below the keys of mappings that `keeps` names.
 * What does not change is not copied; a part that occurs several times stays shared.
 */
const withPlainNumbers = (root: Json, keeps: (key: string) => boolean): Json => {
  const known = new Map<Json, Json>()
  const plain = (value: Json): Json => {
    if (typeof value !== 'object' || value === null) return value
    if (isRawNumber(value)) return plainNumber(value)
    const earlier = known.get(value)
    if (earlier !== undefined) return earlier
    const result = isList(value) ? list(value) : members(value)
    known.set(value, result)
    return result
  }
  const list = (value: readonly Json[]): Json => {
    const items = value.map(plain)
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  const members = (value: { readonly [key: string]: Json }): Json => {
    let copy: Record<string, Json> | undefined
    for (const key of Object.keys(value)) {
      const member = value[key]!
      const result = keeps(key) ? member : plain(member)
      if (result !== member) (copy ??= { ...value })[key] = result
    }
    return copy ?? value
  }
  return plain(root)
}

/** The form in which keys and digests are computed: `1.0` and `1` are one number. */
export const plainNumbers = <T extends Json>(value: T): T => withPlainNumbers(value, () => false) as T

/** The form of a suite and of tests: floats keep their text in `vars` and `matrix`; typed fields have plain numbers. */
export const typedNumbers = (value: Json): Json => withPlainNumbers(value, (key) => key === 'vars' || key === 'matrix')
