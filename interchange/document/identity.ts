import { createHash } from 'node:crypto'
import { storableText } from '../../domain/text/stored-values.ts'
import { canonicalJson } from '../../domain/run/canonical-json.ts'
import type { Losses } from './losses.ts'

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz'
const ID_BITS = 130
const BITS_PER_DIGIT = 5

/**
 * The id of a run document: `<format>-` and the first 130 bits of SHA-256(format NUL identity) as 26 digits in lower-case
 * Crockford base 32. Nothing else is in it, so that one run of another tool has one id, wherever and whenever it is
 * imported.
 */
export const runId = (format: string, identity: string): string => {
  const hash = createHash('sha256').update(`${format}\0${identity}`, 'utf8').digest()
  const bits = BigInt(`0x${hash.toString('hex')}`) >> BigInt(hash.length * 8 - ID_BITS)
  let digits = ''
  for (let shift = ID_BITS - BITS_PER_DIGIT; shift >= 0; shift -= BITS_PER_DIGIT)
    digits += CROCKFORD[Number((bits >> BigInt(shift)) & 31n)]
  return `${format}-${digits}`
}

export const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex')

/** The SHA-256 of a stream, in hex. */
export const sha256OfStream = async (chunks: AsyncIterable<Uint8Array>): Promise<string> => {
  const hash = createHash('sha256')
  for await (const chunk of chunks) hash.update(chunk)
  return hash.digest('hex')
}

/** The id of a test that has none: a hash of its inputs, so that the same inputs are the same test in every run. */
export const testIdOfInputs = (inputs: unknown, prefix = 'input'): string =>
  `${prefix}-${sha256(canonicalJson(inputs)).slice(0, 12)}`

const MAX_ID_BYTES = 400
const CUT_ID_BYTES = 380

/** A text as an id of the document: at most 400 bytes, without characters that a database refuses. */
export const asIdentity = (text: string, losses: Losses, path: string): string => {
  const storable = storableText(text)
  if (storable !== text) losses.add('changed', path, text, 'characters that cannot be stored')
  const bytes = Buffer.from(storable, 'utf8')
  if (bytes.length <= MAX_ID_BYTES) return storable
  losses.add('cut', path, storable, `more than ${MAX_ID_BYTES} bytes`)
  let end = CUT_ID_BYTES
  // A byte 10xxxxxx continues a character.
  while ((bytes[end]! & 0xc0) === 0x80) end--
  return `${bytes.toString('utf8', 0, end)}~${sha256(storable).slice(0, 16)}`
}
