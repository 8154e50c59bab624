import { createHash, createPublicKey, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { ProofCrypto } from '../../domain/proof/crypto.ts'

// What precedes the public key in SubjectPublicKeyInfo: RFC 8410 for Ed25519, RFC 9881 for ML-DSA-44.
const ED25519_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')
const ML_DSA_44_PREFIX = Buffer.from('30820532300b06096086480165030403110382052100', 'hex')

const publicKey = (prefix: Buffer, key: Uint8Array): KeyObject =>
  createPublicKey({ key: Buffer.concat([prefix, key]), format: 'der', type: 'spki' })

const verifyWith =
  (prefix: Buffer) =>
  (key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean => {
    let parsed: KeyObject
    try {
      parsed = publicKey(prefix, key)
    } catch {
      // Bytes that are no key have signed nothing.
      return false
    }
    return verify(null, message, parsed, signature)
  }

const ML_DSA_44_BYTES = 1312

/** Whether this Node was built with an OpenSSL that knows ML-DSA-44. */
const hasMlDsa44 = (): boolean => {
  try {
    publicKey(ML_DSA_44_PREFIX, new Uint8Array(ML_DSA_44_BYTES))
    return true
  } catch {
    return false
  }
}

/** SHA-256 and signatures by node:crypto. */
export const PROOF_CRYPTO: ProofCrypto = {
  sha256: (bytes) => createHash('sha256').update(bytes).digest(),
  verifyEd25519: verifyWith(ED25519_PREFIX),
  verifyMlDsa44: hasMlDsa44() ? verifyWith(ML_DSA_44_PREFIX) : null,
}
