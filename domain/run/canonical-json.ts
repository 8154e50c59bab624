/** A number token kept as it was written, because a double does not hold its value. */
export type RawNumber = { readonly rawJSON: string }

type WithSource = {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
  rawJSON(source: string): RawNumber
  isRawJSON(value: unknown): boolean
}

// Node 24 has source text access; the type library does not know it yet.
const json = JSON as unknown as WithSource

const ZERO = 0x30

/** The decimal value of a number token as its significant digits, sign apart, and the power of ten of the last one. */
const decimal = (token: string) => {
  const mark = token.search(/[eE]/)
  const mantissa = mark < 0 ? token : token.slice(0, mark)
  const [whole = '', fraction = ''] = (mantissa.startsWith('-') ? mantissa.slice(1) : mantissa).split('.')
  const all = whole + fraction
  // Loops instead of /^0+|0+$/: a regex takes quadratic time on a token of a million zeros and a one.
  let from = 0
  let to = all.length
  while (from < to && all.charCodeAt(from) === ZERO) from++
  while (to > from && all.charCodeAt(to - 1) === ZERO) to--
  const exponent = (mark < 0 ? 0 : Number(token.slice(mark + 1))) - fraction.length + (all.length - to)
  return { digits: all.slice(from, to), exponent }
}

/**
 * Whether a double holds this number token: the shortest decimal that JavaScript writes for it has the same value.
 * So 0.30000000000000004 and 1e2 are held, and 9007199254740993, 1e400 and minus zero are not.
 */
export const isExactDouble = (token: string): boolean => {
  const value = Number(token)
  if (Object.is(value, -0)) return false
  const shortest = String(value)
  if (shortest === token) return true
  if (!Number.isFinite(value)) return false
  const [sent, kept] = [decimal(token), decimal(shortest)]
  return sent.digits === kept.digits && (sent.digits === '' || sent.exponent === kept.exponent)
}

/** Whether a token can fail `isExactDouble` at all: without an exponent, 15 digits always fit a double. */
export const mayBeInexact = (token: string) => token.length >= 16 || /[eE]|^-[0.]*$/.test(token)

/** A number that `parseExact` kept as text. */
export const isRawNumber = (value: unknown): value is RawNumber =>
  typeof value === 'object' && value !== null && json.isRawJSON(value)

/**
 * JSON.parse, but number tokens that a double does not hold stay as they were; JSON.stringify writes them back
 * unchanged.
 */
export const parseExact = (text: string): unknown =>
  json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && mayBeInexact(source) && !isExactDouble(source)
      ? json.rawJSON(source)
      : value,
  )

/**
 * Canonical JSON: keys in UTF-16 order (RFC 8785), no white space, numbers and escapes as JSON.stringify writes them.
 */
export const canonicalJson = (value: unknown): string => canonicalText(value, inOrder(value))

/** Canonical JSON of a value, given what brought it in order. */
export const canonicalText = (value: unknown, ordered: unknown): string =>
  ordered === NO_ORDER ? write(value) : JSON.stringify(ordered ?? null)

/** Told of a value with an object whose sorted keys no object can enumerate: integer-like keys come first in any. */
export const NO_ORDER = Symbol()

/**
 * The value with the keys of every object enumerated in order, so that the native JSON.stringify, far faster than a
 * writer, writes them canonically. What is in order already is not copied.
 */
export const inOrder = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return itemsInOrder(value)
  if (json.isRawJSON(value)) return value

  const members = value as Record<string, unknown>
  const keys = Object.keys(members)
  const sorted = isSorted(keys)
  if (!sorted) keys.sort()
  let copy: Record<string, unknown> | undefined = sorted ? undefined : {}
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at]!
    const member = inOrder(members[key])
    if (member === NO_ORDER) return NO_ORDER
    if (copy === undefined && member !== members[key]) {
      copy = {}
      for (const before of keys.slice(0, at)) copy[before] = members[before]
    }
    if (copy !== undefined) copy[key] = member
  }
  if (copy === undefined) return value
  // Assigning `__proto__` makes no key; that, too, is seen here.
  const enumerated = Object.keys(copy)
  return enumerated.length === keys.length && isSorted(enumerated) ? copy : NO_ORDER
}

const itemsInOrder = (items: readonly unknown[]): unknown => {
  let copy: unknown[] | undefined
  for (let at = 0; at < items.length; at++) {
    const item = inOrder(items[at])
    if (item === NO_ORDER) return NO_ORDER
    if (copy === undefined && item !== items[at]) copy = items.slice(0, at)
    copy?.push(item)
  }
  return copy ?? items
}

const isSorted = (keys: readonly string[]) => {
  for (let at = 1; at < keys.length; at++) if (keys[at]! < keys[at - 1]!) return false
  return true
}

/** Joins text, for the rare values that no object can hold in order. */
const write = (value: unknown): string => {
  if (typeof value !== 'object' || value === null || json.isRawJSON(value)) return JSON.stringify(value ?? null)
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`
  const members = value as Record<string, unknown>
  const keys = Object.keys(members).filter((key) => members[key] !== undefined)
  return `{${keys
    .sort()
    .map((key) => `${JSON.stringify(key)}:${write(members[key])}`)
    .join(',')}}`
}
