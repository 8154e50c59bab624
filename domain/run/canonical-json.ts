// Canonical JSON (RFC 8785), the same text that the package `canonicalize` writes in `storage/log/`: a property-based
// test in the spec of this file compares both. Unlike the package, this module preserves numbers that no double
// represents, and it lets the native JSON.stringify write the text.

/** A number token, stored as it was written because no double has its value. */
export type RawNumber = { readonly rawJSON: string }

type WithSource = {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
  rawJSON(source: string): RawNumber
  isRawJSON(value: unknown): boolean
}

// Node 24 has source text access; the type library does not declare it yet.
const json = JSON as unknown as WithSource

const ZERO = 0x30

/** Returns the absolute value of a number token: its significant digits and the power of ten of the last digit. */
const decimal = (token: string) => {
  const mark = token.search(/[eE]/)
  const mantissa = mark < 0 ? token : token.slice(0, mark)
  const [whole = '', fraction = ''] = (mantissa.startsWith('-') ? mantissa.slice(1) : mantissa).split('.')
  const all = whole + fraction
  // Loops instead of /^0+|0+$/: that regex takes quadratic time on a token of a million zeros and a one.
  let from = 0
  let to = all.length
  while (from < to && all.charCodeAt(from) === ZERO) from++
  while (to > from && all.charCodeAt(to - 1) === ZERO) to--
  const exponent = (mark < 0 ? 0 : Number(token.slice(mark + 1))) - fraction.length + (all.length - to)
  return { digits: all.slice(from, to), exponent }
}

/**
 * Whether a double represents this number token: the shortest decimal that JavaScript writes for it has the same value.
 * 0.30000000000000004 and 1e2 are exact; 9007199254740993, 1e400 and minus zero are not.
 */
export const isExactDouble = (token: string): boolean => {
  const value = Number(token)
  if (Object.is(value, -0)) return false
  const shortest = String(value)
  if (shortest === token) return true
  if (!Number.isFinite(value)) return false
  const [received, parsed] = [decimal(token), decimal(shortest)]
  return received.digits === parsed.digits && (received.digits === '' || received.exponent === parsed.exponent)
}

/** Whether `isExactDouble` may be false for a token: without an exponent, 15 digits always fit a double. */
export const mayBeInexact = (token: string) => token.length >= 16 || /[eE]|^-[0.]*$/.test(token)

/** A number that is written with a fraction: 1 as `1.0`. */
export const fraction = (value: number): number | RawNumber =>
  Number.isInteger(value) && Math.abs(value) < 1e15 ? json.rawJSON(value.toFixed(1)) : value

/** Whether a value is a number that `parseExact` left as text. */
export const isRawNumber = (value: unknown): value is RawNumber =>
  typeof value === 'object' && value !== null && json.isRawJSON(value)

/**
 * Parses like JSON.parse, except for number tokens that no double represents: it preserves their text, and
 * JSON.stringify writes it unchanged. Throws `SyntaxError` for text that is not JSON, or too deep for the stack.
 */
export const parseExact = (text: string): unknown => {
  try {
    return json.parse(text, (_key, value, { source }) =>
      typeof value === 'number' && source !== undefined && mayBeInexact(source) && !isExactDouble(source)
        ? json.rawJSON(source)
        : value,
    )
  } catch (error) {
    // JSON.parse itself takes any depth, but its reviver is called level by level.
    if (error instanceof RangeError) throw new SyntaxError('the JSON is nested too deeply', { cause: error })
    throw error
  }
}

/** Canonical JSON: keys in UTF-16 order, no white space, numbers and escapes as JSON.stringify writes them. */
export const canonicalJson = (value: unknown): string => canonicalText(value, withSortedKeys(value))

/** Canonical JSON of a value, given the result of `withSortedKeys` for it. */
export const canonicalText = (value: unknown, sortedValue: unknown): string =>
  sortedValue === UNSORTABLE ? writeByParts(value) : JSON.stringify(sortedValue ?? null)

/** The result for a value whose keys no object can enumerate in order: every object lists integer-like keys first. */
export const UNSORTABLE = Symbol()

/**
 * Returns the value with sorted keys in every object, so that the native JSON.stringify writes canonical JSON. It is
 * far faster than a writer of our own. Objects whose keys are sorted already are not copied.
 */
export const withSortedKeys = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return itemsWithSortedKeys(value)
  if (json.isRawJSON(value)) return value

  const members = value as Record<string, unknown>
  const keys = Object.keys(members)
  const sorted = isSorted(keys)
  if (!sorted) keys.sort()
  let copy: Record<string, unknown> | undefined = sorted ? undefined : {}
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index]!
    const member = withSortedKeys(members[key])
    if (member === UNSORTABLE) return UNSORTABLE
    if (copy === undefined && member !== members[key]) {
      copy = {}
      for (const earlierKey of keys.slice(0, index)) copy[earlierKey] = members[earlierKey]
    }
    if (copy !== undefined) copy[key] = member
  }
  if (copy === undefined) return value
  // An assignment to `__proto__` creates no key: the number of keys shows this.
  const copiedKeys = Object.keys(copy)
  return copiedKeys.length === keys.length && isSorted(copiedKeys) ? copy : UNSORTABLE
}

const itemsWithSortedKeys = (items: readonly unknown[]): unknown => {
  let copy: unknown[] | undefined
  for (let index = 0; index < items.length; index++) {
    const item = withSortedKeys(items[index])
    if (item === UNSORTABLE) return UNSORTABLE
    if (copy === undefined && item !== items[index]) copy = items.slice(0, index)
    copy?.push(item)
  }
  return copy ?? items
}

const isSorted = (keys: readonly string[]) => {
  for (let index = 1; index < keys.length; index++) if (keys[index]! < keys[index - 1]!) return false
  return true
}

/** Writes canonical JSON without a sorted copy, for the rare values that have none. */
const writeByParts = (value: unknown): string => {
  if (typeof value !== 'object' || value === null || json.isRawJSON(value)) return JSON.stringify(value ?? null)
  if (Array.isArray(value)) return `[${value.map(writeByParts).join(',')}]`
  const members = value as Record<string, unknown>
  const keys = Object.keys(members).filter((key) => members[key] !== undefined)
  return `{${keys
    .sort()
    .map((key) => `${JSON.stringify(key)}:${writeByParts(members[key])}`)
    .join(',')}}`
}
