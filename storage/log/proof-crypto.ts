import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto'

// The DER of a SubjectPublicKeyInfo up to the key itself: RFC 8410 for Ed25519, RFC 9881 for ML-DSA-44.
const ED25519_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')
const ML_DSA_44_PREFIX = Buffer.from('30820532300b06096086480165030403110382052100', 'hex')
const ML_DSA_44_KEY_BYTES = 1312

const publicKey = (prefix: Buffer, key: Uint8Array): KeyObject =>
  createPublicKey({ key: Buffer.concat([prefix, key]), format: 'der', type: 'spki' })

/** Whether this Node can check ML-DSA-44: those built with OpenSSL 3.5 can. */
const hasMlDsa44 = (): boolean => {
  try {
    publicKey(ML_DSA_44_PREFIX, new Uint8Array(ML_DSA_44_KEY_BYTES))
    return true
  } catch {
    return false
  }
}

/** The functions that `domain/proof` needs, by `node:crypto`. */
export const nodeCrypto = {
  sha256: (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest(),
  verifyEd25519: (key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean =>
    verify(null, message, publicKey(ED25519_PREFIX, key), signature),
  verifyMlDsa44: hasMlDsa44()
    ? (key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean =>
        verify(null, message, publicKey(ML_DSA_44_PREFIX, key), signature)
    : null,
}
