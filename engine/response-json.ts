import { isDeeperThan } from '../domain/cache/json-bounds.ts'
import { parseExact } from '../domain/run/canonical-json.ts'
import { MAX_DEPTH } from '../domain/run/scan.ts'
import type { Json } from './json.ts'

/**
 * How deep a value of a response may be nested. Run documents and cache entries put values a few levels into their own
 * objects, and their readers accept `MAX_DEPTH` levels in all.
 */
const MAX_RESPONSE_DEPTH = MAX_DEPTH - 12

/** A value that a run document could not be read with again. */
export class TooDeep extends Error {
  override readonly name = 'TooDeep'

  constructor(what: string) {
    super(`${what} is nested deeper than ${MAX_RESPONSE_DEPTH} levels`)
  }
}

/** Parses JSON that a provider or a program wrote. Throws `SyntaxError`, or `TooDeep`. */
export const parseResponse = (text: string): Json => {
  // A shorter text cannot open so many brackets.
  if (text.length > MAX_RESPONSE_DEPTH && isDeeperThan(Buffer.from(text), MAX_RESPONSE_DEPTH)) {
    // Throws for text with brackets that is no JSON.
    JSON.parse(text)
    throw new TooDeep('the response')
  }
  return parseExact(text) as Json
}

/** Maximum size in bytes of a part of a case or of a cache entry (`raw`, `request`, `error_details`) as JSON. */
const MAX_PART_BYTES = 64 * 1024

/** Whether a part of a case or of a cache entry is too large to be recorded. */
export const isTooLarge = (part: Json): boolean => Buffer.byteLength(JSON.stringify(part)) > MAX_PART_BYTES

/** Whether a value is nested too deep to be recorded. */
export const isTooDeep = (value: Json): boolean => {
  if (typeof value !== 'object' || value === null) return false
  return isDeeperThan(Buffer.from(JSON.stringify(value)), MAX_RESPONSE_DEPTH)
}
