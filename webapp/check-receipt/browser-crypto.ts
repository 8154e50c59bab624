import { Point, etc } from '@noble/ed25519'
import { sha256 as nobleSha256, sha512 } from '@noble/hashes/sha2.js'
import type { ProofCrypto } from '../../domain/proof/crypto.ts'

// The library's own `verify` multiplies by the cofactor; the platforms do not. So that every reader returns the same
// result, the equation is computed here from its points, strictly as RFC 8032 5.1.7 with its exact encodings.

const scalar = (bytes: Uint8Array): bigint => BigInt(`0x${etc.bytesToHex(Uint8Array.from(bytes).reverse())}`)

/** Whether a signature is valid, without the platform. Points must have been checked by `domain/proof/ed25519.ts`. */
const verifyInScript = (key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean => {
  const [r, s] = [signature.subarray(0, 32), scalar(signature.subarray(32))]
  const { n } = Point.CURVE()
  if (s >= n) return false
  const point = pointOf(key)
  if (!point) return false
  const k = scalar(sha512(etc.concatBytes(r, key, message))) % n
  const expected = Point.BASE.multiply(s, false).subtract(point.multiply(k, false))
  return etc.bytesToHex(expected.toBytes()) === etc.bytesToHex(r)
}

const pointOf = (bytes: Uint8Array): Point | null => {
  try {
    // Without ZIP 215: encodings beyond the field are refused.
    return Point.fromBytes(bytes, false)
  } catch {
    return null
  }
}

/** Everything in script: for pages without `crypto.subtle`, which browsers offer to secure addresses only. */
const SCRIPT_CRYPTO: ProofCrypto = { sha256: nobleSha256, verifyEd25519: verifyInScript, verifyMlDsa44: null }

/** A copy in a buffer of its own, as WebCrypto demands it. */
const own = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => Uint8Array.from(bytes)

/**
 * The functions that checking needs, by the browser where it has them: browsers without `crypto.subtle` or without Ed25519
 * use script. ML-DSA-44 is not checked in browsers.
 */
export const browserCrypto = async (subtle: SubtleCrypto | undefined): Promise<ProofCrypto> => {
  if (!subtle) return SCRIPT_CRYPTO
  const sha256: ProofCrypto['sha256'] = async (bytes) => new Uint8Array(await subtle.digest('SHA-256', own(bytes)))
  return (await hasEd25519(subtle))
    ? { ...SCRIPT_CRYPTO, sha256, verifyEd25519: verifyBy(subtle) }
    : { ...SCRIPT_CRYPTO, sha256 }
}

const importKey = (subtle: SubtleCrypto, key: Uint8Array): Promise<CryptoKey> =>
  subtle.importKey('raw', own(key), { name: 'Ed25519' }, false, ['verify'])

/** The base point: a key that every implementation accepts. */
const SOME_KEY = Uint8Array.of(0x58, ...new Uint8Array(31).fill(0x66))

const hasEd25519 = (subtle: SubtleCrypto): Promise<boolean> =>
  importKey(subtle, SOME_KEY).then(
    () => true,
    () => false,
  )

const verifyBy =
  (subtle: SubtleCrypto): ProofCrypto['verifyEd25519'] =>
  async (key, message, signature) => {
    // Some platforms refuse at the import what others refuse at the check.
    const imported = await importKey(subtle, key).catch(() => null)
    return imported !== null && subtle.verify({ name: 'Ed25519' }, imported, own(signature), own(message))
  }
