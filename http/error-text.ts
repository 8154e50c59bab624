import type { FastifyError } from 'fastify'
import { clip } from '../domain/run/invalid-document.ts'

/** Maximum size of an error text in bytes of UTF-8. */
export const MAX_ERROR_BYTES = 2048

/** The end of a text that was cut. */
const CUT = '… (cut)'

/** Returns the text of an error for a client: well-formed, and cut between two characters if it is too long. */
export const errorText = (text: string): string => {
  // A UTF-16 unit takes one to three bytes in UTF-8.
  if (text.length * 3 <= MAX_ERROR_BYTES) return text.toWellFormed()
  const bytes = Buffer.from(text.slice(0, MAX_ERROR_BYTES + 1))
  if (bytes.length <= MAX_ERROR_BYTES) return bytes.toString()
  let end = MAX_ERROR_BYTES - Buffer.byteLength(CUT)
  while (isContinuation(bytes[end])) end--
  return bytes.subarray(0, end).toString() + CUT
}

const isContinuation = (byte = 0): boolean => (byte & 0b1100_0000) === 0b1000_0000

/** Maximum number of unknown fields that are named; the rest is counted. */
const MAX_NAMED_FIELDS = 3

/**
 * Returns a text that says what is wrong with a body, a query or a path. `part` is the word that the text uses for an
 * unknown member.
 */
export const validationText = (issues: NonNullable<FastifyError['validation']>, part: 'field' | 'parameter'): string =>
  issues
    .map(({ keyword, instancePath, message = 'invalid', params }) =>
      atField(instancePath, keyword === 'unrecognized_keys' ? unknownText(params['keys'], part) : message),
    )
    .join('; ')

const unknownText = (keys: unknown, part: string): string => {
  const names = Array.isArray(keys) ? keys.map(String) : []
  const named = names.slice(0, MAX_NAMED_FIELDS).map((name) => JSON.stringify(clip(name)))
  const more = names.length - named.length
  return `unknown ${part}${names.length === 1 ? '' : 's'} ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

const atField = (path: string, message: string): string => {
  const field = path.replace(/^\//, '').replaceAll('/', '.')
  return field === '' ? message : `${field}: ${message}`
}
