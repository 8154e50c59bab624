import { createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto'
import { concat, uint64, utf8 } from '../../../domain/proof/bytes.ts'
import { cosignedMessage } from '../../../domain/proof/cosignature.ts'
import { vkeyOf, type Vkey } from '../../../domain/proof/keys.ts'
import { signatureLine } from '../../../domain/proof/note.ts'
import { nodeCrypto } from '../../../storage/log/proof-crypto.ts'

/** A key that signs notes in specs. `sign` returns the signature line. */
export type SpecKey = {
  readonly vkey: Vkey
  readonly sign: (noteText: string, seconds?: number) => string
  readonly privateKey: KeyObject
}

/** The PKCS #8 form of a seed of 32 bytes: RFC 8410 for Ed25519, RFC 9881 for ML-DSA-44. */
const PREFIX = { ed25519: '302e020100300506032b657004220420', mlDsa44: '3034020100300b060960864801650304031104228020' }

const keyOf = (kind: keyof typeof PREFIX, seed: number): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([Buffer.from(PREFIX[kind], 'hex'), Buffer.alloc(32, seed)]),
    format: 'der',
    type: 'pkcs8',
  })

const rawPublicKey = (key: KeyObject, bytes: number): Buffer =>
  createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-bytes)

/** The key of a log, from a seed of 32 equal bytes. */
export const logKey = async (name: string, seed: number): Promise<SpecKey> => {
  const key = keyOf('ed25519', seed)
  const vkey = await vkeyOf(name, 1, rawPublicKey(key, 32), nodeCrypto)
  return {
    vkey,
    privateKey: key,
    sign: (text) => signatureLine(name, vkey.id, sign(null, Buffer.from(text), key)),
  }
}

/** The line of a key of a log that signs a checkpoint with its time. */
export const timeLine = async (
  { vkey: { name, key }, privateKey }: SpecKey,
  text: string,
  seconds: number,
): Promise<string> => {
  const { id } = await vkeyOf(name, 4, key, nodeCrypto)
  return signatureLine(name, id, concat(uint64(seconds), sign(null, cosignedMessage(text, seconds), privateKey)))
}

/** The key of a witness. */
export const witnessKey = async (name: string, seed: number): Promise<SpecKey> => {
  const key = keyOf('ed25519', seed)
  const vkey = await vkeyOf(name, 4, rawPublicKey(key, 32), nodeCrypto)
  return {
    vkey,
    privateKey: key,
    sign: (text, seconds = 1_777_885_300) =>
      signatureLine(name, vkey.id, concat(uint64(seconds), sign(null, cosignedMessage(text, seconds), key))),
  }
}

/** The ML-DSA-44 key of a witness. */
export const mlDsaKey = async (name: string, seed: number): Promise<SpecKey> => {
  const key = keyOf('mlDsa44', seed)
  const vkey = await vkeyOf(name, 6, rawPublicKey(key, 1312), nodeCrypto)
  return {
    vkey,
    privateKey: key,
    sign: (text, seconds = 1_777_885_300) => {
      const [origin = '', size = '', root = ''] = text.split('\n')
      const message = concat(
        utf8('subtree/v1\n\0'),
        Uint8Array.of(utf8(name).length),
        utf8(name),
        uint64(seconds),
        Uint8Array.of(utf8(origin).length),
        utf8(origin),
        uint64(0),
        uint64(Number(size)),
        Buffer.from(root, 'base64'),
      )
      return signatureLine(name, vkey.id, concat(uint64(seconds), sign(null, message, key)))
    },
  }
}
