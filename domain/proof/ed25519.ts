import { equal, fromHex } from './bytes.ts'
import type { ProofCrypto } from './crypto.ts'

// RFC 8032 leaves open what to do with points of small order, and libraries differ there and in encodings of coordinates
// that exceed the field. An honest signer never makes either, so all are refused before a library sees them: then every
// platform returns the same result. What is left is the equation [S]B = R + [k]A without the cofactor, as OpenSSL has it.

const LAST = 31

/** The y coordinates of the points whose order divides 8, without the sign bit. */
const SMALL_ORDER: readonly Uint8Array[] = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
].flatMap((hex) => fromHex(hex) ?? [])

/** Whether 32 bytes can be a point that an honest signer uses: y below 2^255 − 19, and not of small order. */
const isUsualPoint = (point: Uint8Array): boolean => {
  const y = Uint8Array.from(point)
  y[LAST] = (y[LAST] ?? 0) & 0x7f
  const exceedsField = y[LAST] === 0x7f && (y[0] ?? 0) >= 0xed && y.subarray(1, LAST).every((byte) => byte === 0xff)
  return !exceedsField && !SMALL_ORDER.some((small) => equal(small, y))
}

/** Whether an Ed25519 signature (RFC 8032) is valid, with one result on every platform. */
export const isSignedBy = async (
  key: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
  { verifyEd25519 }: Pick<ProofCrypto, 'verifyEd25519'>,
): Promise<boolean> =>
  key.length === 32 &&
  signature.length === 64 &&
  isUsualPoint(key) &&
  isUsualPoint(signature.subarray(0, 32)) &&
  verifyEd25519(key, message, signature)
