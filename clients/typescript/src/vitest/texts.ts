import { createHash } from 'node:crypto'

/** The service takes names of at most 400 bytes of UTF-8, and no NUL. */
const MAX_NAME_BYTES = 400
const CUT_BYTES = 380

/** A text that is longer is cut, so that a run stays within the 64 MiB of an upload. */
export const MAX_OUTPUT_CHARACTERS = 200_000
export const MAX_REASON_CHARACTERS = 16_000
export const MAX_TRACE_CHARACTERS = 32_000

/** The text as the service accepts it: half of a surrogate pair and NUL become U+FFFD. */
export const wellFormed = (text: string): string => Buffer.from(text.replaceAll('\0', '\u{FFFD}')).toString()

/** A name that the service accepts. One that is too long ends with a digest of the whole, so that it stays the same. */
export const named = (text: string): string => {
  const clean = wellFormed(text)
  const bytes = Buffer.from(clean)
  if (bytes.length <= MAX_NAME_BYTES) return clean
  const start = new TextDecoder().decode(bytes.subarray(0, CUT_BYTES), { stream: true })
  return `${start}~${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`
}

export const cut = (text: string, characters: number): string => {
  const clean = wellFormed(text)
  return clean.length <= characters
    ? clean
    : `${wellFormed(clean.slice(0, characters))}… [cut, ${clean.length - characters} characters]`
}

/** A value whose texts, at any depth, are as the service accepts them. */
export const clean = (value: unknown): unknown => {
  if (typeof value === 'string') return cut(value, MAX_OUTPUT_CHARACTERS)
  if (Array.isArray(value)) return value.map(clean)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [wellFormed(key), clean(item)]))
}
