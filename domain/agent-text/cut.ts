import { isRawNumber } from '../run/canonical-json.ts'
import { sanitize } from './sanitize.ts'

/** Maximum length of a text for an agent, in code points, unless the caller asks for more. */
export const DEFAULT_MAX_CHARS = 2_000

/** One text that was cut: its JSON pointer, and how many of its code points are left. */
export type Cut = { readonly path: string; readonly kept: number; readonly total: number }

/** Keeps the first `limit` code points of a text, and says after them how many are missing. */
export const cutText = (text: string, limit: number): { readonly text: string; readonly total: number } => {
  // A code point has one or two UTF-16 units.
  if (text.length <= limit) return { text, total: text.length }
  const total = codePoints(text, 0, text.length)
  if (total <= limit) return { text, total }
  return { text: `${text.slice(0, unitsOf(text, limit))}…[truncated ${total - limit} of ${total} chars]`, total }
}

/**
 * Sanitizes every text in a JSON value and cuts the long ones. Names of members are sanitized too, unless that would
 * give two members one name. `value` comes from `JSON.parse` or `parseExact` and is not changed.
 */
export const cutTexts = (value: unknown, limit: number): { readonly value: unknown; readonly cuts: Cut[] } => {
  const cuts: Cut[] = []
  const visit = (part: unknown, path: string): unknown => {
    if (typeof part === 'string') {
      const safe = sanitize(part)
      const { text, total } = cutText(safe, limit)
      if (text !== safe) cuts.push({ path, kept: limit, total })
      return text
    }
    if (Array.isArray(part)) return part.map((item, index) => visit(item, `${path}/${index}`))
    if (part === null || typeof part !== 'object' || isRawNumber(part)) return part
    const members = safeNames(part)
    // Not by assignment, which would make `__proto__` the prototype.
    return Object.fromEntries(members.map(([name, member]) => [name, visit(member, `${path}/${pointerPart(name)}`)]))
  }
  return { value: visit(value, ''), cuts }
}

const safeNames = (object: object): Array<[string, unknown]> => {
  const members: Array<[string, unknown]> = Object.entries(object)
  if (members.every(([name]) => sanitize(name) === name)) return members
  const safe = members.map(([name, member]): [string, unknown] => [sanitize(name), member])
  return new Set(safe.map(([name]) => name)).size === members.length ? safe : members
}

/** A name as a part of a JSON pointer (RFC 6901). */
const pointerPart = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00

/** The code points between two positions of a well-formed text. */
const codePoints = (text: string, start: number, end: number): number => {
  let count = end - start
  for (let at = start; at < end; at++) if (isHighSurrogate(text.charCodeAt(at))) count--
  return count
}

/** The UTF-16 units of the first `limit` code points of a well-formed text. */
const unitsOf = (text: string, limit: number): number => {
  let at = 0
  for (let count = 0; count < limit; count++) at += isHighSurrogate(text.charCodeAt(at)) ? 2 : 1
  return at
}
