import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import { chunkCompressor } from './chunk-compressor.ts'

// The sealed form of an object, which is permanent. The raw bytes are cut into chunks of 256 KiB. Each chunk is one byte (0: as it
// is, 1: zstd) and its payload, under AES-256-GCM with the key of the object. The nonce is the number of the chunk, so a key seals
// one object only, and once. The tag of 16 bytes is at the end of each chunk.

/** Raw bytes of a chunk; the last may have fewer. */
export const CHUNK_BYTES = 256 * 1024

const ALGORITHM = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const AS_IT_IS = 0
const ZSTD = 1

/** The bytes of an object are not those that were sealed. */
export class ObjectDamaged extends Error {
  override readonly name = 'ObjectDamaged'
}

/** A key for one object. */
export const newObjectKey = (): Buffer => randomBytes(KEY_BYTES)

/** An id for one object: 128 random bits, so that it says nothing about the bytes. */
export const newObjectId = (): string => randomBytes(16).toString('hex')

const nonceOf = (n: number): Buffer => {
  const nonce = Buffer.alloc(NONCE_BYTES)
  nonce.writeUInt32BE(n, NONCE_BYTES - 4)
  return nonce
}
const boundTo = (id: string, n: number): Buffer => Buffer.from(`ers-object/1 ${id} ${n}`)

const decompress = promisify(zstdDecompress)

/**
 * Frees the memory of bytes that are of no use any more, and that of all they are a slice of, unless that is Node's pool. The next garbage
 * collection would do it too, but bytes of large parts make collections frequent.
 */
export const release = ({ buffer }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer && buffer.byteLength > Buffer.poolSize) buffer.transfer(0)
}

const sealChunk = (payload: Uint8Array, form: number, { key, id, n }: Chunk): Buffer => {
  const cipher = createCipheriv(ALGORITHM, key, nonceOf(n)).setAAD(boundTo(id, n))
  const first = cipher.update(Uint8Array.of(form))
  const rest = cipher.update(payload)
  const sealed = Buffer.concat([first, rest, cipher.final(), cipher.getAuthTag()])
  release(rest)
  return sealed
}

type Chunk = { readonly key: Uint8Array; readonly id: string; readonly n: number }

/**
 * Seals the bytes of an object, chunk by chunk. Compression runs on other threads, and each chunk is a step of its own: other requests go
 * on meanwhile. If the first chunk does not shrink, no other is tried. The memory of a chunk is freed when the next one is asked for.
 */
export async function* sealObject(raw: Uint8Array, key: Uint8Array, id: string): AsyncGenerator<Buffer> {
  const { compress, close } = chunkCompressor(CHUNK_BYTES)
  try {
    let isTried = true
    for (let n = 0; n * CHUNK_BYTES < raw.length || n === 0; n++) {
      const piece = raw.subarray(n * CHUNK_BYTES, (n + 1) * CHUNK_BYTES)
      const compressed: Buffer | null = isTried ? await compress(piece) : null
      const isSmaller: boolean = compressed !== null && compressed.length < piece.length
      if (n === 0) isTried = isSmaller
      const sealed: Buffer =
        compressed !== null && isSmaller
          ? sealChunk(compressed, ZSTD, { key, id, n })
          : sealChunk(piece, AS_IT_IS, { key, id, n })
      if (compressed !== null) release(compressed)
      yield sealed
      release(sealed)
      if (!isTried) await yieldToEventLoop()
    }
  } finally {
    close()
  }
}

/** Opens one sealed chunk. Throws `ObjectDamaged` if it is not the one that was sealed under this number. */
export const openChunk = async (sealed: Buffer, { key, id, n }: Chunk): Promise<Buffer> => {
  let opened: Buffer
  try {
    const end = sealed.length - TAG_BYTES
    const decipher = createDecipheriv(ALGORITHM, key, nonceOf(n), { authTagLength: TAG_BYTES })
      .setAAD(boundTo(id, n))
      .setAuthTag(sealed.subarray(Math.max(0, end)))
    opened = decipher.update(sealed.subarray(0, Math.max(0, end)))
    // It checks the tag, and has no bytes of its own in this mode.
    decipher.final()
  } catch (cause) {
    throw new ObjectDamaged(`chunk ${n} of object ${id} is not the one that was sealed`, { cause })
  }
  const payload = opened.subarray(1)
  if (opened[0] !== ZSTD) return payload
  const raw = await decompress(payload, { maxOutputLength: CHUNK_BYTES, chunkSize: CHUNK_BYTES + 1 })
  release(opened)
  return raw
}

/** Whether a sealed chunk can have this length. A store that is asked for no bytes sends all, and one that is asked for too many, fewer. */
export const isChunkLength = (length: number): boolean => length > TAG_BYTES && length <= 1 + CHUNK_BYTES + TAG_BYTES

/** The lengths of sealed chunks, as a row has them. */
export const encodeLengths = (lengths: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(lengths.length * 4)
  lengths.forEach((length, i) => bytes.writeUInt32BE(length, i * 4))
  return bytes
}
export const decodeLengths = (bytes: Buffer): number[] =>
  Array.from({ length: Math.floor(bytes.length / 4) }, (_, i) => bytes.readUInt32BE(i * 4))
