import { isRawNumber } from '../run/canonical-json.ts'
import { agentText } from './fence.ts'

/** Maximum length of a text for an agent, in code points, unless the caller asks for more. */
export const DEFAULT_MAX_CHARS = 2_000

/** One text or list that was cut: its JSON pointer, and how many of its code points or items are left. */
export type Cut = { readonly path: string; readonly kept: number; readonly total: number }

/** Keeps the first `limit` code points of a text, and says after them how many are missing. */
export const cutText = (text: string, limit: number): { readonly text: string; readonly total: number } => {
  // A code point has one or two UTF-16 units.
  if (text.length <= limit) return { text, total: text.length }
  const total = codePoints(text, 0, text.length)
  if (total <= limit) return { text, total }
  return { text: `${text.slice(0, unitsWithin(text, limit))}…[truncated ${total - limit} of ${total} chars]`, total }
}

/**
 * Makes every text in a JSON value safe, also the names of members, and cuts the long ones. Returns null if the result
 * would have more than `maxBytes` as JSON, as soon as that is certain. `value` comes from `JSON.parse` or `parseExact`
 * and is not changed.
 */
export const cutTexts = (
  value: unknown,
  limit: number,
  maxBytes = Infinity,
): { readonly value: unknown; readonly cuts: Cut[] } | null => {
  const cuts: Cut[] = []
  // At least so many bytes: a character of UTF-16 has one or more, and every value has one.
  let bytes = 0
  const visit = (part: unknown, path: string): unknown => {
    if (bytes++ >= maxBytes) return null
    if (typeof part === 'string') {
      const safe = agentText(part)
      const { text, total } = cutText(safe, limit)
      if (text !== safe) cuts.push({ path, kept: limit, total })
      bytes += text.length
      return text
    }
    if (Array.isArray(part)) {
      const items: unknown[] = []
      for (const [index, item] of part.entries()) {
        if (bytes > maxBytes) break
        items.push(visit(item, `${path}/${index}`))
      }
      return items
    }
    if (part === null || typeof part !== 'object' || isRawNumber(part)) return part
    const safeName = memberNamer(part)
    const members: Array<[string, unknown]> = []
    for (const [name, member] of Object.entries(part)) {
      if (bytes > maxBytes) break
      const safe = safeName(name)
      bytes += safe.length
      members.push([safe, visit(member, `${path}/${pointerPart(safe)}`)])
    }
    // Not by assignment, which would make `__proto__` the prototype.
    return Object.fromEntries(members)
  }
  const safe = visit(value, '')
  return bytes > maxBytes ? null : { value: safe, cuts }
}

/** Makes the names of an object's members safe. Where that gives a name that is taken, a number is added to it. */
const memberNamer = (object: object): ((name: string) => string) => {
  const counts = new Map<string, number>()
  const used = new Set<string>()
  return (name) => {
    const safe = agentText(name)
    if (safe === name) return name
    let count = counts.get(safe) ?? 0
    let unused: string
    do unused = count++ === 0 ? safe : `${safe} (${count})`
    while (used.has(unused) || Object.hasOwn(object, unused))
    counts.set(safe, count)
    used.add(unused)
    return unused
  }
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
const unitsWithin = (text: string, limit: number): number => {
  let at = 0
  for (let count = 0; count < limit; count++) at += isHighSurrogate(text.charCodeAt(at)) ? 2 : 1
  return at
}
