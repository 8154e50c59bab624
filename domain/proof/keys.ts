import { fromBase64, toBase64 } from './base64.ts'
import { concat, toHex, utf8 } from './bytes.ts'
import type { ProofCrypto } from './crypto.ts'
import { ProofFailed } from './failed.ts'

/**
 * Signature types of C2SP signed-note. 1: Ed25519, of logs. 4: Ed25519 with a time, of witnesses. 6: ML-DSA-44 with a
 * time, of witnesses.
 */
export type KeyType = 1 | 4 | 6

/** A verifier key of C2SP signed-note. `id` has 8 hexadecimal digits, `text` is the vkey as it is written. */
export type Vkey = {
  readonly name: string
  readonly id: string
  readonly type: KeyType
  readonly key: Uint8Array
  readonly text: string
}

const KEY_BYTES: Readonly<Record<KeyType, number>> = { 1: 32, 4: 32, 6: 1312 }

const isKeyType = (type: number | undefined): type is KeyType => type === 1 || type === 4 || type === 6

// C2SP signed-note: neither Unicode spaces nor a plus. Notes have no control characters either.
const NOT_IN_NAMES = /[\p{White_Space}+\u0000-\u001f]/u

/** Whether a text can be the name of a key. */
export const isKeyName = (name: string): boolean => name !== '' && name.isWellFormed() && !NOT_IN_NAMES.test(name)

/** The key id of C2SP signed-note: the first four bytes of SHA-256(name ‖ 0x0A ‖ type ‖ key), in hexadecimal digits. */
const keyIdOf = async (
  name: string,
  typeAndKey: Uint8Array,
  { sha256 }: Pick<ProofCrypto, 'sha256'>,
): Promise<string> => toHex((await sha256(concat(utf8(`${name}\n`), typeAndKey))).subarray(0, 4))

/** The vkey of a public key. Throws an `Error` if the name or the length of the key is not allowed. */
export const vkeyOf = async (
  name: string,
  type: KeyType,
  key: Uint8Array,
  crypto: Pick<ProofCrypto, 'sha256'>,
): Promise<Vkey> => {
  if (!isKeyName(name)) throw new Error(`${JSON.stringify(name)} cannot be the name of a key`)
  if (key.length !== KEY_BYTES[type])
    throw new Error(`a key of type ${type} has ${KEY_BYTES[type]} bytes, not ${key.length}`)
  const typeAndKey = concat(Uint8Array.of(type), key)
  const id = await keyIdOf(name, typeAndKey, crypto)
  return { name, id, type, key, text: `${name}+${id}+${toBase64(typeAndKey)}` }
}

/** Whether a private key is in a text, in the form of Go's note package. Such a text is never printed. */
export const isPrivateKey = (text: string): boolean => text.includes('PRIVATE+KEY+')

const FORM = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/

/**
 * Parses a vkey, `<name>+<id>+<base64(type ‖ key)>`. Throws `ProofFailed` 20 if it is none, if its id is not that of its
 * name and key, or if its type is not one of 1, 4 and 6.
 */
export const parseVkey = async (text: string, crypto: Pick<ProofCrypto, 'sha256'>): Promise<Vkey> => {
  const [, name = '', id = '', encoded = ''] = FORM.exec(text) ?? []
  const typeAndKey = fromBase64(encoded)
  // The text is not quoted: it may be a private key that was given by mistake.
  if (isPrivateKey(text)) throw new ProofFailed(20, 'this is a private key; the public vkey is needed')
  if (!isKeyName(name) || typeAndKey === null || typeAndKey.length === 0)
    throw new ProofFailed(20, 'a verifier key has the form <name>+<key id>+<base64>, and this has not')
  const [type] = typeAndKey
  if (!isKeyType(type))
    throw new ProofFailed(
      20,
      `the key ${JSON.stringify(name)} is of signature type ${type}; types 1, 4 and 6 are supported`,
    )
  const key = typeAndKey.slice(1)
  if (key.length !== KEY_BYTES[type])
    throw new ProofFailed(
      20,
      `the key ${JSON.stringify(name)} has ${key.length} bytes; type ${type} has ${KEY_BYTES[type]}`,
    )
  const expected = await keyIdOf(name, typeAndKey, crypto)
  if (id !== expected)
    throw new ProofFailed(20, `the key ${JSON.stringify(name)} has the id ${id}, but its name and key give ${expected}`)
  return { name, id, type, key, text }
}
