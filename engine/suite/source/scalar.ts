import type { RawNumber } from '../../../domain/run/canonical-json.ts'
import { exactNumber } from '../../numbers.ts'

const LITERALS: Readonly<Record<string, null | boolean>> = {
  '': null,
  '~': null,
  null: null,
  Null: null,
  NULL: null,
  true: true,
  True: true,
  TRUE: true,
  false: false,
  False: false,
  FALSE: false,
}

/** Returns a decimal number token as JSON writes numbers: no plus sign, no leading zeros, digits around a point. */
const jsonToken = (token: string): string => {
  const [, sign = '', whole = '', point = '', fraction = '', exponent = ''] =
    /^([-+]?)(\d*)(?:(\.)(\d*))?((?:[eE][-+]?\d+)?)$/.exec(token) ?? []
  // Zeros are cut with a loop: a regex would take quadratic time on a long run of them.
  let from = 0
  while (from < whole.length - 1 && whole[from] === '0') from++
  const digits = whole.slice(from)
  return `${sign === '-' ? '-' : ''}${digits === '' ? '0' : digits}${point === '' ? '' : `.${fraction === '' ? '0' : fraction}`}${exponent}`
}

/**
 * Returns the value of a plain scalar by the core schema of YAML 1.2: null, booleans, decimal, octal (`0o17`) and
 * hexadecimal integers, floats; all else is text. A number that no double holds keeps its digits, a
 * float with an integral value its text. Undefined for `.inf`
 * and `.nan`, which JSON cannot hold.
 */
export const plainScalar = (text: string): null | boolean | number | string | RawNumber | undefined => {
  if (text.length <= 5 && Object.hasOwn(LITERALS, text)) return LITERALS[text]!
  const first = text.charCodeAt(0)
  // Digits, `+`, `-` and `.` start a number; all else is text.
  if (!(first >= 0x30 && first <= 0x39) && first !== 0x2b && first !== 0x2d && first !== 0x2e) return text
  if (/^0o[0-7]+$/.test(text) || /^0x[\dA-Fa-f]+$/.test(text)) {
    const exact = BigInt(text)
    return exact <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(exact) : exactNumber(exact.toString())
  }
  if (/^[-+]?\.(?:inf|Inf|INF)$/.test(text) || /^\.(?:nan|NaN|NAN)$/.test(text)) return undefined
  if (!/^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(text)) return text
  return exactNumber(jsonToken(text))
}
