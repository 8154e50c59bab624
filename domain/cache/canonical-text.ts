import { byCodePoint } from '../text/code-point-order.ts'
import { canonicalJson, isRawNumber } from '../run/canonical-json.ts'

/**
 * Returns the JSON text that cache keys and digests are computed from: object keys in the order of their UTF-8 bytes,
 * which is the order of code points, no white space, numbers and escapes as JSON.stringify writes them. A number that
 * no double represents keeps its text. Members that are undefined are left out.
 */
export const canonicalText = (value: unknown): string => {
  // The order of UTF-16 units, which is fast, is the same unless a key contains a surrogate.
  const text = canonicalJson(value)
  return SURROGATE.test(text) && hasSurrogateKey(value) ? byCodePoints(value) : text
}

/** A surrogate in a JSON text. One that stands alone is written as an escape. */
const SURROGATE = /[\ud800-\udfff]|\\ud[89a-f]/

const hasSurrogateKey = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return false
  if (Array.isArray(value)) return value.some(hasSurrogateKey)
  return Object.entries(value).some(([key, member]) => /[\ud800-\udfff]/.test(key) || hasSurrogateKey(member))
}

const byCodePoints = (value: unknown): string => {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return JSON.stringify(value ?? null)
  if (Array.isArray(value)) return `[${value.map(byCodePoints).join(',')}]`
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => byCodePoint(a, b))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${byCodePoints(member)}`).join(',')}}`
}
