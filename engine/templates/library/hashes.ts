import { createHash } from 'node:crypto'
import { blake3 } from '@noble/hashes/blake3.js'
import { jsonText } from '../values/json-text.ts'
import type { Value } from '../values/value.ts'

const encodeText = (text: string) => new TextEncoder().encode(text)

/** Lower-case hex of a hash over the UTF-8 bytes of a text. */
export const hexHash = (algorithm: 'sha256' | 'md5' | 'blake3', text: string): string =>
  algorithm === 'blake3'
    ? Buffer.from(blake3(encodeText(text))).toString('hex')
    : createHash(algorithm).update(text, 'utf8').digest('hex')

/** BLAKE3 over the compact JSON of a seed: what `uuid`, `rand` and `randint` are made of. */
const seedHash = (seed: Value): Buffer => Buffer.from(blake3(encodeText(jsonText(seed))))

/** The first 8 bytes of the hash of a seed, as a little-endian integer. */
export const seededInteger = (seed: Value): bigint => seedHash(seed).readBigUInt64LE(0)

const UUID_BYTES = 16

/** The first 16 bytes of the hash of a seed as a UUID of version 4 (RFC 9562). */
export const seededUuid = (seed: Value): string => {
  const bytes = seedHash(seed).subarray(0, UUID_BYTES)
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
