import { createHash, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto'
import { concat, uint64 } from '../../domain/proof/bytes.ts'
import { cosignedMessage } from '../../domain/proof/cosignature.ts'
import { isKeyName } from '../../domain/proof/keys.ts'
import { signatureLine } from '../../domain/proof/note.ts'

// Keys of checkpoints in the text forms of c2sp.org/signed-note and of Go's golang.org/x/mod/sumdb/note:
// verifier keys `<name>+<key id>+<base64(0x01 ‖ public key)>`, private keys `PRIVATE+KEY+<name>+<key id>+<base64(0x01 ‖ seed)>`.

/** The signature types of Ed25519 in a signed note: of a log, and with a time (c2sp.org/tlog-cosignature). */
const ED25519 = 0x01
const ED25519_WITH_TIME = 0x04

/** The length of a seed and of a public key. */
export const SEED_BYTES = 32

/** The most keys that may sign together. */
const MAX_KEYS = 4

/** A private key that signs checkpoints. Its name is the origin of the log. */
export type SigningKey = {
  readonly name: string
  /** 8 lower-case hex digits. */
  readonly id: string
  /** The verifier key, which is public. */
  readonly vkey: string
  /** The Ed25519 signature (64 bytes) of a note's text. */
  readonly sign: (text: string) => Buffer
  /** The signature line of a note's text with a time, in whole seconds since the epoch. Its key id is another one. */
  readonly signWithTime: (text: string, seconds: number) => string
}

/** A text of keys is invalid. The message names the line and never quotes it. */
export class InvalidKeys extends Error {
  override readonly name = 'InvalidKeys'
}

/** Names are in cosigned messages of c2sp.org/tlog-cosignature, behind their length in one byte. */
const MAX_NAME_BYTES = 255

/**
 * Whether a text may name a log: it is the name of a key (c2sp.org/signed-note) of at most 255 bytes without control
 * characters, because it is also the first line of each checkpoint, and without format characters, which are invisible or
 * change the order of what is shown: two logs must not look alike.
 */
export const isOrigin = (name: string): boolean =>
  isKeyName(name) && !/[\p{Cc}\p{Cf}]/u.test(name) && Buffer.byteLength(name) <= MAX_NAME_BYTES

/** The first 4 bytes of SHA-256(name ‖ 0x0A ‖ type ‖ public key), in hex. */
const keyId = (name: string, publicKey: Uint8Array, type = ED25519): string =>
  createHash('sha256').update(`${name}\n`).update(Uint8Array.of(type)).update(publicKey).digest('hex').slice(0, 8)

/** What precedes the seed of an Ed25519 key in PKCS #8 (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

const publicBytes = (key: KeyObject): Buffer =>
  createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-SEED_BYTES)

/** The key of a seed of 32 bytes (RFC 8032). */
export const keyOfSeed = (name: string, seed: Uint8Array): SigningKey => {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' })
  const publicKey = publicBytes(key)
  const id = keyId(name, publicKey)
  const vkey = `${name}+${id}+${Buffer.concat([Uint8Array.of(ED25519), publicKey]).toString('base64')}`
  const timedId = keyId(name, publicKey, ED25519_WITH_TIME)
  return {
    name,
    id,
    vkey,
    sign: (text) => sign(null, Buffer.from(text), key),
    signWithTime: (text, seconds) =>
      signatureLine(name, timedId, concat(uint64(seconds), sign(null, cosignedMessage(text, seconds), key))),
  }
}

/** The private key of a seed as one line of a key file, without the line end. */
export const privateKeyText = (name: string, seed: Uint8Array): string =>
  `PRIVATE+KEY+${name}+${keyOfSeed(name, seed).id}+${Buffer.concat([Uint8Array.of(ED25519), seed]).toString('base64')}`

const LINE = /^PRIVATE\+KEY\+([^+]*)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/

const parseLine = (line: string, where: string): SigningKey => {
  const [, name = '', id, text = ''] = LINE.exec(line) ?? []
  if (id === undefined) throw new InvalidKeys(`${where} is not a private key PRIVATE+KEY+<name>+<key id>+<base64>`)
  if (!isOrigin(name))
    throw new InvalidKeys(
      `${where}: the name of the key is empty, contains white space or invisible characters, or is too long`,
    )
  const bytes = Buffer.from(text, 'base64')
  // Decoding passes over what is not canonical.
  if (bytes.toString('base64') !== text || bytes.length !== SEED_BYTES + 1 || bytes[0] !== ED25519)
    throw new InvalidKeys(`${where} does not contain an Ed25519 key`)
  const key = keyOfSeed(name, bytes.subarray(1))
  if (key.id !== id) throw new InvalidKeys(`${where}: the key id does not belong to the key`)
  return key
}

/**
 * Parses private keys, one a line; empty lines are ignored. Throws `InvalidKeys`, unless there are one to four different
 * keys of one name.
 */
export const parseKeys = (text: string): readonly [SigningKey, ...SigningKey[]] => {
  const lines = text.split(/\r?\n/).flatMap((line, i) => (line.trim() === '' ? [] : [{ line, where: `line ${i + 1}` }]))
  const keys: SigningKey[] = []
  for (const { line, where } of lines) {
    const key = parseLine(line.trim(), where)
    const [first] = keys
    if (first && key.name !== first.name)
      throw new InvalidKeys(`${where} has another name than the key before: all keys of a log have one name`)
    if (keys.some(({ vkey }) => vkey === key.vkey)) throw new InvalidKeys(`${where} repeats a key`)
    if (keys.length === MAX_KEYS)
      throw new InvalidKeys(`${where} is one key too many: at most ${MAX_KEYS} keys may sign`)
    keys.push(key)
  }
  const [first, ...others] = keys
  if (!first) throw new InvalidKeys('contains no key')
  return [first, ...others]
}
