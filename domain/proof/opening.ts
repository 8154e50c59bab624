import { fromHex, fromUtf8, toHex, utf8, concat } from './bytes.ts'
import type { ProofCrypto } from './crypto.ts'
import { ProofFailed } from './failed.ts'
import { leafHash } from './merkle.ts'

/**
 * What opens the commitment of one record. `body` is its exact text, `salt` 16 bytes in hexadecimal digits, `recorded_at`
 * epoch milliseconds.
 */
export type Opening = {
  readonly body: string
  readonly recorded_at: number
  readonly salt: string
  readonly type: string
}

/** The canonical JSON (RFC 8785) of an opening. Permanent: every receipt contains it. */
export const openingText = ({ body, recorded_at, salt, type }: Opening): string =>
  // The members are in canonical order, and JSON.stringify writes texts and integers as RFC 8785 does.
  JSON.stringify({ body, recorded_at, salt, type, v: 1 })

/** Parses an opening. Throws `ProofFailed` 20 unless it is the canonical JSON of exactly its five members. */
export const parseOpening = (bytes: Uint8Array): Opening => {
  const text = fromUtf8(bytes)
  const value = text === null ? null : parseJson(text)
  const opening = isOpening(value) ? value : null
  if (!opening || openingText(opening) !== text || !opening.body.isWellFormed() || !opening.type.isWellFormed())
    throw new ProofFailed(20, 'the extra data is not the opening of a record')
  const { body, recorded_at, salt, type } = opening
  return { body, recorded_at, salt, type }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

const isOpening = (value: unknown): value is Opening =>
  typeof value === 'object' &&
  value !== null &&
  'body' in value &&
  'recorded_at' in value &&
  'salt' in value &&
  'type' in value &&
  typeof value.body === 'string' &&
  typeof value.type === 'string' &&
  typeof value.recorded_at === 'number' &&
  Number.isSafeInteger(value.recorded_at) &&
  value.recorded_at >= 0 &&
  typeof value.salt === 'string' &&
  /^[0-9a-f]{32}$/.test(value.salt)

/**
 * The leaf hash that an opening gives: SHA-256(0x00 ‖ entry) of the entry `{commitment, recorded_at, type}` in canonical
 * JSON, where the commitment is SHA-256(salt ‖ body).
 */
export const openedLeaf = async (
  { body, recorded_at, salt, type }: Opening,
  sha256: ProofCrypto['sha256'],
): Promise<Uint8Array> => {
  const commitment = await sha256(concat(fromHex(salt) ?? Uint8Array.of(), utf8(body)))
  return leafHash(utf8(JSON.stringify({ commitment: toHex(commitment), recorded_at, type })), sha256)
}
