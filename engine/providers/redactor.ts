import type { Json } from '../json.ts'
import { isRawNumber } from '../../domain/run/canonical-json.ts'

/** Shorter values are not replaced: they occur by chance in ordinary text. */
const MIN_SECRET_LENGTH = 8

/** Replaces secrets in what comes from outside, before it is stored or printed. */
export type Redactor = {
  readonly text: (text: string) => string
  /** Replaces in all strings, names of members included. Returns the same value where it holds no secret. */
  readonly json: <T extends Json | undefined>(value: T) => T
  /** Replaces in bytes, whether or not they are a text. Returns the same bytes where they hold no secret. */
  readonly bytes: (bytes: Uint8Array) => Uint8Array
}

/**
 * A redactor of secrets, each with its name. A value of at least 8 characters is replaced by `[redacted NAME]`, also where
 * it is written with percent signs, as in a URL, with the escapes of JSON, or the whole value as base64, base64url or hex.
 * The credentials of `Bearer` and other schemes of the header `authorization` are replaced without the scheme too.
 */
export const redactor = (secrets: Iterable<readonly [name: string, value: string]>): Redactor => {
  const replacements = new Map<string, string>()
  for (const [name, secret] of secrets)
    for (const value of valuesIn(secret.trim())) {
      if (value.length < MIN_SECRET_LENGTH) continue
      for (const form of formsOf(value)) if (!replacements.has(form)) replacements.set(form, `[redacted ${name}]`)
    }
  if (replacements.size === 0) return { text: (text) => text, json: (value) => value, bytes: (bytes) => bytes }
  // The longest first: one secret may be a part of another, such as a key within a header.
  const ordered = [...replacements].sort(([a], [b]) => b.length - a.length)
  const text = (original: string): string => {
    let result = original
    for (const [form, replacement] of ordered)
      if (result.includes(form)) result = result.replaceAll(form, () => replacement)
    return result
  }
  const inBytes = ordered.map(([form, replacement]) => [byteText(form), byteText(replacement)] as const)
  const bytes = (original: Uint8Array): Uint8Array => {
    const before = Buffer.from(original.buffer, original.byteOffset, original.byteLength).toString('latin1')
    let result = before
    for (const [form, replacement] of inBytes)
      if (result.includes(form)) result = result.replaceAll(form, () => replacement)
    return result === before ? original : Buffer.from(result, 'latin1')
  }
  return { text, json: (value) => redactJson(value, text), bytes }
}

/** The UTF-8 of a text with a character for each byte. */
const byteText = (text: string): string => Buffer.from(text).toString('latin1')

/** A secret, and what follows its authentication scheme (RFC 9110, 11.4). */
const valuesIn = (secret: string): readonly string[] => {
  const credentials = /^(?:basic|bearer|token|apikey|api-key)\s+(\S.*)$/is.exec(secret)?.[1]
  return credentials === undefined ? [secret] : [secret, credentials]
}

const formsOf = (value: string): readonly string[] => {
  const bytes = Buffer.from(value)
  const [base64, base64url, hex] = [bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex')]
  return [
    value,
    encodeURIComponent(value.toWellFormed()),
    JSON.stringify(value).slice(1, -1),
    base64,
    base64.replaceAll('=', ''),
    base64.replaceAll('+', '-').replaceAll('/', '_'),
    base64url,
    hex,
    hex.toUpperCase(),
  ]
}

const redactJson = <T extends Json | undefined>(value: T, text: (text: string) => string): T => {
  const walk = (item: Json): Json => {
    if (typeof item === 'string') return text(item)
    if (typeof item !== 'object' || item === null || isRawNumber(item)) return item
    if (Array.isArray(item)) {
      const before = item as readonly Json[]
      const items = before.map(walk)
      return items.some((member, index) => member !== before[index]) ? items : before
    }
    const members = Object.entries(item)
    const walked = members.map(([key, member]) => [text(key), walk(member)] as const)
    const changed = walked.some(([key, member], index) => key !== members[index]![0] || member !== members[index]![1])
    return changed ? Object.fromEntries(walked) : item
  }
  return value === undefined ? value : (walk(value) as T)
}
