import { blake3 } from '@noble/hashes/blake3.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { canonicalText as textOf } from '../../domain/cache/canonical-text.ts'
import type { Json } from '../json.ts'

/** A digest as documents and canonical requests record it: BLAKE3-256 in lower-case hex. */
export type Blake3Digest = `blake3:${string}`

/**
 * Returns the canonical JSON of a value: object keys in the order of their UTF-8 bytes, no white space, numbers and
 * escapes as JSON.stringify writes them, a `RawNumber` with its text.
 */
export const canonicalText = (value: Json): string => textOf(value)

/** Returns the digest of the canonical JSON of a value. */
export const blake3Digest = (value: Json): Blake3Digest => blake3Bytes(Buffer.from(canonicalText(value)))

/** Returns the digest of bytes. */
export const blake3Bytes = (bytes: Uint8Array): Blake3Digest => `blake3:${bytesToHex(blake3(bytes))}`
