import { createDecipheriv } from 'node:crypto'
import { zstdDecompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import {
  CHUNK_BYTES,
  decodeLengths,
  encodeLengths,
  newObjectId,
  newObjectKey,
  ObjectDamaged,
  openChunk,
  sealObject,
} from '../../../storage/objects/seal.ts'
import { noise } from '../../support/documents/parts.ts'

const ID = newObjectId()
const KEY = newObjectKey()

/** The chunks of an object, copied: their memory is freed. */
const sealed = (raw: Uint8Array) => Array.fromAsync(sealObject(raw, KEY, ID), (chunk) => Buffer.from(chunk))

describe('a sealed object', () => {
  it.each([
    ['text', Buffer.alloc(2 * CHUNK_BYTES + 5, 'The same line again.\n')],
    ['noise', noise(CHUNK_BYTES + 1)],
    ['one byte', Buffer.from('x')],
  ])('of %s opens chunk by chunk, in the order and under the id in which it was sealed', async (_, raw) => {
    const chunks = await sealed(raw)
    const opened = await Promise.all(chunks.map((chunk, n) => openChunk(chunk, { key: KEY, id: ID, n })))
    expect(Buffer.concat(opened).equals(raw)).toBe(true)
    const [first = Buffer.alloc(0)] = chunks
    await expect(openChunk(first, { key: KEY, id: ID, n: 1 })).rejects.toThrow(ObjectDamaged)
    await expect(openChunk(first, { key: KEY, id: newObjectId(), n: 0 })).rejects.toThrow(ObjectDamaged)
    await expect(openChunk(first, { key: newObjectKey(), id: ID, n: 0 })).rejects.toThrow(ObjectDamaged)
    for (const at of [0, first.length - 1]) {
      const wrong = Buffer.from(first)
      wrong[at] = (wrong[at] ?? 0) ^ 1
      await expect(openChunk(wrong, { key: KEY, id: ID, n: 0 })).rejects.toThrow(ObjectDamaged)
    }
    await expect(openChunk(first.subarray(0, 3), { key: KEY, id: ID, n: 0 })).rejects.toThrow(ObjectDamaged)
  })

  it('has the permanent form: a byte, the payload and a tag, bound to the id and the number', async () => {
    const raw = Buffer.alloc(CHUNK_BYTES + 3, 'abc')
    const chunks = await sealed(raw)
    const [, second = Buffer.alloc(0)] = chunks
    const decipher = createDecipheriv('aes-256-gcm', KEY, Buffer.from('000000000000000000000001', 'hex'))
    decipher.setAAD(Buffer.from(`ers-object/1 ${ID} 1`)).setAuthTag(second.subarray(-16))
    const opened = Buffer.concat([decipher.update(second.subarray(0, -16)), decipher.final()])
    const payload = opened.subarray(1)
    expect((opened[0] === 1 ? zstdDecompressSync(payload) : payload).equals(raw.subarray(CHUNK_BYTES))).toBe(true)
  })

  it('is not compressed where its first chunk does not shrink', async () => {
    const raw = Buffer.concat([noise(CHUNK_BYTES), Buffer.alloc(CHUNK_BYTES)])
    const chunks = await sealed(raw)
    expect(chunks.map(({ length }) => length)).toEqual([CHUNK_BYTES + 17, CHUNK_BYTES + 17])
  })

  it('has its lengths in a row', () => expect(decodeLengths(encodeLengths([1, 262_161]))).toEqual([1, 262_161]))
})
