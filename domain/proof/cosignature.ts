import { concat, uint64, utf8 } from './bytes.ts'
import { parseCheckpoint } from './checkpoint.ts'
import type { ProofCrypto } from './crypto.ts'
import { isSignedBy } from './ed25519.ts'
import type { Vkey } from './keys.ts'
import type { Note, NoteSignature } from './note.ts'

/** A `timestamped_signature` of C2SP tlog-cosignature. `seconds` is since the epoch. */
export type Cosignature = { readonly seconds: number; readonly signature: Uint8Array }

/** The message of an Ed25519 cosignature of a note's text (C2SP tlog-cosignature). */
export const cosignedMessage = (noteText: string, seconds: number): Uint8Array =>
  utf8(`cosignature/v1\ntime ${seconds}\n${noteText}`)

const TIME_BYTES = 8

/** Splits the bytes of a cosignature. Null if they are too short, or if the time exceeds 2^53 − 1 seconds. */
export const parseCosignature = (bytes: Uint8Array): Cosignature | null => {
  if (bytes.length <= TIME_BYTES) return null
  const seconds = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0))
  return Number.isSafeInteger(seconds) ? { seconds, signature: bytes.slice(TIME_BYTES) } : null
}

/** Bytes behind their length in one byte, `opaque<1..2^8-1>` of RFC 8446; null if they are too long. */
const shortVector = (bytes: Uint8Array): Uint8Array | null =>
  bytes.length > 0 && bytes.length < 256 ? concat(Uint8Array.of(bytes.length), bytes) : null

/** The `cosigned_message` of an ML-DSA-44 cosignature of a whole checkpoint; null for names of more than 255 bytes. */
const cosignedTree = (cosigner: string, noteText: string, seconds: number): Uint8Array | null => {
  const { origin, size, root } = parseCheckpoint(noteText)
  const name = shortVector(utf8(cosigner))
  const log = shortVector(utf8(origin))
  if (!name || !log) return null
  return concat(utf8('subtree/v1\n\0'), name, uint64(seconds), log, uint64(0), uint64(size), root)
}

/** A signature that was checked. `seconds` is the time that the signer states, null for signatures without a time. */
export type VerifiedSignature = { readonly valid: boolean; readonly seconds: number | null }

const INVALID: VerifiedSignature = { valid: false, seconds: null }

/**
 * Checks one signature of a note under the key whose name and id it has. Null if this platform cannot check signatures
 * of the key's type.
 */
export const verifySignature = async (
  { type, name, key }: Vkey,
  { text }: Note,
  { bytes }: NoteSignature,
  crypto: ProofCrypto,
): Promise<VerifiedSignature | null> => {
  if (type === 1) return { valid: await isSignedBy(key, utf8(text), bytes, crypto), seconds: null }
  const cosignature = parseCosignature(bytes)
  if (!cosignature) return INVALID
  const { seconds, signature } = cosignature
  if (type === 4) return { valid: await isSignedBy(key, cosignedMessage(text, seconds), signature, crypto), seconds }
  if (crypto.verifyMlDsa44 === null) return null
  const message = cosignedTree(name, text, seconds)
  return message ? { valid: await crypto.verifyMlDsa44(key, message, signature), seconds } : INVALID
}
