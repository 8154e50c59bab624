import { describe, expect, it } from 'vitest'
import { pieceBuffers } from '../../../runtime/evidence/piece-buffers.ts'
import { runningDigests } from '../../../runtime/evidence/running-digests.ts'
import { digestOf, noise } from '../../support/documents/parts.ts'

const PIECES = [0, 1, 2, 3, 4].map((n) => noise(1000 + n, n + 1))
const piece = (n: number, object_id = `object ${n}`) => ({ n, object_id, body: PIECES[n] ?? Buffer.alloc(0) })
/** When pieces come. */
const AT = 1000
const objects = PIECES.map((_, n) => `object ${n}`)
const firstBytes = (count: number) => Buffer.concat(PIECES.slice(0, count))

describe('the digest of a part that arrives in pieces', () => {
  const known = async (digests: ReturnType<typeof runningDigests>, ids: readonly string[] = objects) => {
    const { hash, bytes } = await digests.soFar('upload', ids)
    return { sha256: hash.digest('hex'), bytes }
  }
  const ofFirst = (count: number) => ({ sha256: digestOf(firstBytes(count)), bytes: firstBytes(count).length })

  it.each([
    ['in order', [0, 1, 2, 3, 4]],
    ['nearly in order', [1, 0, 3, 4, 2]],
    ['from the last one on', [4, 3, 2, 1, 0]],
  ])('is known at its end if they came %s', async (_, order) => {
    const digests = runningDigests()
    await Promise.all(order.map((n) => digests.add('upload', piece(n), AT)))
    expect(await known(digests)).toEqual(ofFirst(5))
  })

  it('is known up to a piece that did not come, or whose bytes had no room', async () => {
    const digests = runningDigests({ maxEarlyBytes: 2004 })
    await digests.add('upload', piece(0), AT)
    const early = [digests.add('upload', piece(2), AT), digests.add('upload', piece(3), AT)]
    expect(await known(digests)).toEqual(ofFirst(1))
    await digests.add('upload', piece(1), AT)
    // The bytes of 2 were dropped for those of 3.
    await early[0]
    expect(await known(digests)).toEqual(ofFirst(2))
    await digests.add('upload', piece(2), AT)
    await early[1]
    expect(await known(digests)).toEqual(ofFirst(4))
  })

  it('is not known if the part has another object than the one that was hashed', async () => {
    const digests = runningDigests()
    for (const n of [0, 1, 2]) await digests.add('upload', piece(n), AT)
    expect(await known(digests, ['object 0', 'of another process', 'object 2'])).toEqual(ofFirst(0))
    expect(await known(digests, [])).toEqual(ofFirst(0))
  })

  it('takes the last bytes of a piece that came again before its turn, and none after it', async () => {
    const digests = runningDigests()
    const first = digests.add('upload', { ...piece(1), object_id: 'not stored', body: Buffer.from('others') }, AT)
    await Promise.all([digests.add('upload', piece(1), AT), digests.add('upload', piece(0), AT), first])
    await digests.add('upload', { ...piece(0), object_id: 'late' }, AT)
    expect(await known(digests)).toEqual(ofFirst(2))
  })

  it('is forgotten with its upload', async () => {
    const digests = runningDigests()
    await digests.add('upload', piece(0), AT)
    const early = digests.add('upload', piece(2), AT)
    digests.drop('upload')
    await early
    expect(await known(digests)).toEqual(ofFirst(0))
  })

  it('is forgotten, with the bytes that wait for their turn, when no piece came for long', async () => {
    const digests = runningDigests()
    await digests.add('upload', piece(0), AT)
    const early = digests.add('upload', piece(2), AT)
    await digests.add('other', piece(0), AT + 1)
    digests.dropBefore(AT)
    expect(await known(digests)).toEqual(ofFirst(1))
    digests.dropBefore(AT + 1)
    await early
    expect(await known(digests)).toEqual(ofFirst(0))
    expect((await digests.soFar('other', objects)).bytes).toBe(firstBytes(1).length)
  })
})

describe('the memory of pieces', () => {
  it('is used again for a piece of the same length, for as many as are sent at once', () => {
    const buffers = pieceBuffers(100_000)
    expect(buffers.take(100_000)).toBeNull()
    const pieces = Array.from({ length: 5 }, () => new Uint8Array(100_000))
    for (const each of pieces) buffers.give(each)
    expect(buffers.take(99_999)).toBeNull()
    const taken = Array.from({ length: 5 }, () => buffers.take(100_000)?.buffer)
    expect(taken).toEqual([
      ...pieces
        .slice(0, 4)
        .reverse()
        .map(({ buffer }) => buffer),
      undefined,
    ])
    // The memory of the fifth is freed.
    expect(pieces[4]?.length).toBe(0)
  })

  it('is left alone if it is part of another memory', () => {
    const buffers = pieceBuffers(100_000)
    const whole = new Uint8Array(200_000)
    buffers.give(whole.subarray(0, 100_000))
    expect(buffers.take(100_000)).toBeNull()
    expect(whole.length).toBe(200_000)
  })
})
