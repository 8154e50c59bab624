import { createHash, randomFillSync } from 'node:crypto'
import { constants, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { documentReader } from '../../../queries/runs/documents.ts'
import {
  deleteFrames,
  framesConcurrently,
  framesOf,
  insertFrames,
  LARGE_FRAMES,
  listFrames,
  joinFrames,
  rawFrame,
  rawFrameAsync,
  rawPart,
  SMALL_FRAMES,
} from '../../../storage/documents/frames.ts'
import { openStorage } from '../../support/stores/open-storage.ts'
import { NO_OBJECTS } from '../../support/documents/no-objects.ts'

/** Bytes that are partly compressible, so that frames differ in size. */
const documentOf = (length: number): Buffer => {
  const bytes = Buffer.alloc(length, 'abc ')
  randomFillSync(bytes, 0, Math.min(length, 10_000))
  return bytes
}

describe.each([
  ['small', SMALL_FRAMES],
  ['large', LARGE_FRAMES],
])('the %s frames of a document', (_, cut) => {
  const { first, frame: FRAME_BYTES, part: PART_BYTES } = cut
  const LENGTHS = [0, 1, FRAME_BYTES - 1, FRAME_BYTES, FRAME_BYTES + 1, 2 * FRAME_BYTES, 3 * FRAME_BYTES + 17]
  const documents = LENGTHS.map((length) => {
    const raw = documentOf(length)
    return { raw, frames: framesOf(raw, cut) }
  })

  it.each(documents.map(({ raw, frames }) => [raw.length, frames.length]))('of %i bytes are %i', (length, count) =>
    expect(count).toBe(Math.max(1, Math.ceil(length / FRAME_BYTES))),
  )

  it('are numbered, full except the last, and contain the bytes in order', () => {
    for (const { raw, frames } of documents) {
      expect(frames.map(({ n }) => n)).toEqual(frames.map((_, i) => first + i))
      expect(frames.slice(0, -1).every(({ raw_length }) => raw_length === FRAME_BYTES)).toBe(true)
      expect(Buffer.concat(frames.map(rawFrame)).equals(raw)).toBe(true)
    }
  })

  it('have the same bytes in order if they are joined, and fewer of them', async () => {
    for (const { raw, frames } of documents) {
      const joint = joinFrames(frames)
      expect(joint).toHaveLength(Math.max(1, Math.ceil(raw.length / LARGE_FRAMES.frame)))
      expect(Buffer.concat(joint.map(rawFrame)).equals(raw)).toBe(true)
      expect(Buffer.concat(await Promise.all(joint.map(rawFrameAsync))).equals(raw)).toBe(true)
    }
    // A frame that is not full is the last of its document.
    const [full, short] = documents.find(({ frames: { length } }) => length === 2)?.frames ?? []
    expect(joinFrames([short!, full!])).toEqual([short, full])
  })

  it('can be read if zlib added an empty frame to a part', async () => {
    // The size of zlib's buffer by default. The part is random at its start, so each random byte adds a compressed one.
    const ZLIB_BUFFER_BYTES = 16 * 1024
    const PART_BYTES = LARGE_FRAMES.part
    const compressed = (part: Buffer) =>
      zstdCompressSync(part, { params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 } })
    const random = createHash('shake256', { outputLength: ZLIB_BUFFER_BYTES }).update('random').digest()
    const partWith = (randomBytes: number): Buffer => {
      const part = Buffer.alloc(PART_BYTES, 'abc ')
      random.copy(part, 0, 0, randomBytes)
      return part
    }
    const EMPTY = Buffer.from('28b52ffd240001000099e9d851', 'hex')
    const sizes = Array.from({ length: 200 }, (_, i) => partWith(ZLIB_BUFFER_BYTES - i))
    const part = sizes.find((each) => compressed(each).subarray(-EMPTY.length).equals(EMPTY))
    if (!part) throw new Error('no part fills the buffer of zlib')
    const raw = Buffer.concat([part, partWith(1), part, partWith(2)])
    const stored = {
      n: 0,
      raw_length: raw.length,
      bytes: Buffer.concat([part, partWith(1), part, partWith(2)].map(compressed)),
    }
    expect(rawFrame(stored).equals(raw)).toBe(true)
    expect((await rawFrameAsync(stored)).equals(raw)).toBe(true)
    for (const from of [0, PART_BYTES, 2 * PART_BYTES, 3 * PART_BYTES])
      expect(rawPart(stored, from).raw.equals(raw.subarray(from, from + PART_BYTES))).toBe(true)
    const single = { n: 0, raw_length: part.length, bytes: compressed(part) }
    expect(rawFrame(single).equals(part)).toBe(true)
    const [written] = framesOf(raw, LARGE_FRAMES)
    expect(written?.bytes.includes(EMPTY)).toBe(false)
    expect(written && rawFrame(written).equals(raw)).toBe(true)
  })

  it('contain every part at its place, and nothing behind the last', () => {
    for (const { raw, frames } of documents)
      for (const frame of frames)
        for (let from = 0; from <= frame.raw_length; from += PART_BYTES) {
          const frameStart = (frame.n - first) * FRAME_BYTES
          const start = frameStart + from
          expect(rawPart(frame, start)).toEqual({
            start,
            raw: raw.subarray(start, Math.min(start + PART_BYTES, frameStart + frame.raw_length)),
            size: PART_BYTES,
          })
        }
  })

  it('of earlier versions are one part', () => {
    const raw = documentOf(LARGE_FRAMES.frame)
    const frame = { n: 1, raw_length: raw.length, bytes: zstdCompressSync(raw) }
    const start = LARGE_FRAMES.frame
    expect(rawPart(frame, start + raw.length - 1)).toEqual({ start, raw, size: LARGE_FRAMES.frame })
  })

  it('have parts of every size that zstd writes', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: PART_BYTES }),
        fc.constantFrom<(bytes: Buffer) => Buffer>(
          (bytes) => randomFillSync(bytes),
          (bytes) => bytes.fill(7),
          (bytes) => bytes.fill('abcd efg '),
        ),
        (length, fill) => {
          const raw = fill(Buffer.alloc(PART_BYTES + length))
          const [frame] = framesOf(raw, cut)
          expect(rawPart(frame!, PART_BYTES + length - 1).raw.equals(raw.subarray(length === 0 ? 0 : PART_BYTES))).toBe(
            true,
          )
        },
      ),
      { numRuns: 60 },
    ))

  it('are rejected if a part is not zstd', () => {
    const frame = framesOf(documentOf(2 * PART_BYTES), cut)[0]!
    expect(() => rawPart({ ...frame, bytes: Buffer.concat([frame.bytes, Buffer.from('no zstd')]) }, 0)).toThrow(
      'not zstd',
    )
  })

  it('are read in slices, also across parts and frames, and of all versions', async () => {
    const { read, run, close } = await openStorage()
    const raw = documentOf(2 * FRAME_BYTES + 100)
    const { frame } = LARGE_FRAMES
    const old = Array.from({ length: Math.ceil(raw.length / frame) }, (_, n) =>
      raw.subarray(n * frame, (n + 1) * frame),
    ).map((bytes, n) => ({ n, raw_length: bytes.length, bytes: zstdCompressSync(bytes) }))
    await run(insertFrames(1, framesOf(raw, cut)))
    await run(insertFrames(2, old))
    const reader = documentReader(
      { dialect: 'sqlite', read, readAll: () => Promise.reject(new Error('not used')) },
      NO_OBJECTS,
    )
    const at = [0, 1, PART_BYTES - 1, PART_BYTES, FRAME_BYTES - 1, FRAME_BYTES, 2 * FRAME_BYTES, raw.length - 1]
    for (const run_no of [1, 2])
      for (const offset of at)
        for (const length of [0, 1, 2, PART_BYTES, FRAME_BYTES + 2].filter((length) => offset + length <= raw.length))
          for (const slice of [reader.slice, reader.sliceInOrder])
            expect((await slice(run_no, offset, length)).equals(raw.subarray(offset, offset + length))).toBe(true)
    await close()
  })

  it('are read in slices of several documents with one query', async () => {
    const { dialect, read, run, close } = await openStorage()
    const raws = [documentOf(3 * FRAME_BYTES), documentOf(PART_BYTES + 5), documentOf(10)]
    for (const [i, raw] of raws.entries())
      await run(insertFrames(i + 1, framesOf(raw, i % 2 === 0 ? cut : LARGE_FRAMES)))
    let queries = 0
    const reader = documentReader(
      {
        dialect,
        read: (query) => {
          queries++
          return read(query)
        },
        readAll: () => Promise.reject(new Error('not used')),
      },
      NO_OBJECTS,
    )
    const at = (run_no: number, document_offset: number, document_length: number) => ({
      run_no,
      document_offset,
      document_length,
    })
    const places = [
      at(2, PART_BYTES - 3, 8),
      at(1, FRAME_BYTES - 7, 20),
      at(3, 0, 10),
      at(9, 5, 5),
      at(1, 2, 0),
      at(1, FRAME_BYTES - 7, 20),
    ]
    const slices = await Array.fromAsync(reader.slices(places))
    expect(slices.map((slice) => slice?.toString('hex'))).toEqual(
      places.map(({ run_no, document_offset, document_length }) =>
        raws[run_no - 1]?.subarray(document_offset, document_offset + document_length).toString('hex'),
      ),
    )
    // The document that does not exist takes more: another look for its frame, and for its run.
    // A byte that is in no frame is looked for in objects and in frames once more.
    expect(queries).toBe(dialect === 'sqlite' ? 6 : 7)

    const many = Array.from({ length: 40 }, (_, i) => at(1, i * 4_000, 4_000 + i))
    const found = await Array.fromAsync(reader.slices(many))
    expect(Buffer.concat(found.map((slice) => slice!.subarray(0, 4_000)))).toEqual(raws[0]!.subarray(0, 160_000))
    // A case of more frames than are read at once.
    expect(await Array.fromAsync(reader.slices([at(1, 1, 3 * FRAME_BYTES - 1)]))).toEqual([raws[0]!.subarray(1)])
    await close()
  })

  it('are read once each by slices in order', async () => {
    const { read, run, close } = await openStorage()
    const raw = documentOf(3 * FRAME_BYTES)
    await run(insertFrames(1, framesOf(raw, cut)))
    let queries = 0
    const reader = documentReader(
      {
        dialect: 'sqlite',
        read: (query) => {
          queries++
          return read(query)
        },
        readAll: () => Promise.reject(new Error('not used')),
      },
      NO_OBJECTS,
    )
    const slices: Buffer[] = []
    for (let at = 0; at < raw.length; at += 1_000)
      slices.push(await reader.sliceInOrder(1, at, Math.min(1_000, raw.length - at)))
    expect(Buffer.concat(slices).equals(raw)).toBe(true)
    expect(queries).toBe(3)
    await close()
  })

  it('that end too early are rejected by every read, not only by the first', async () => {
    const { read, run, close } = await openStorage()
    await run(insertFrames(1, framesOf(documentOf(PART_BYTES - 500), cut)))
    const reader = documentReader(
      { dialect: 'sqlite', read, readAll: () => Promise.reject(new Error('not used')) },
      NO_OBJECTS,
    )
    for (let i = 0; i < 3; i++)
      await expect(reader.slice(1, PART_BYTES + 100, 50)).rejects.toThrow('document 1 ends before byte')
    await close()
  })

  it('are rejected if they do not have their recorded length', () => {
    const [frame] = documents[1]!.frames
    expect(() => rawFrame({ ...frame!, raw_length: 2 })).toThrow('does not have its recorded length')
    expect(() => rawFrame({ ...frame!, raw_length: 2 ** 40 })).toThrow('does not have its recorded length')
    const [large] = framesOf(Buffer.alloc(FRAME_BYTES), cut)
    expect(() => rawFrame({ ...large!, bytes: Buffer.concat([large!.bytes, large!.bytes]) })).toThrow()
  })

  it('are the same and in order when compressed on other threads', async () => {
    for (const { raw, frames } of documents) {
      const concurrent = framesConcurrently(raw, cut)
      await concurrent.pending
      expect(concurrent.frames).toEqual(frames)
    }
  })

  it('give the same bytes and errors when decompressed on other threads', async () => {
    for (const frame of documents.flatMap(({ frames }) => frames))
      expect((await rawFrameAsync(frame)).equals(rawFrame(frame))).toBe(true)
    const [frame] = documents[1]!.frames
    await expect(rawFrameAsync({ ...frame!, raw_length: 2 })).rejects.toThrow('does not have its recorded length')
    const [large] = framesOf(Buffer.alloc(FRAME_BYTES), cut)
    await expect(rawFrameAsync({ ...large!, bytes: Buffer.concat([large!.bytes, large!.bytes]) })).rejects.toThrow()
    await expect(rawFrameAsync({ ...large!, bytes: large!.bytes.subarray(1) })).rejects.toThrow()
  })

  it('are stored, read and deleted per document', async () => {
    const { read, run, close } = await openStorage()
    for (const [run_no, { frames }] of documents.entries()) await run(insertFrames(run_no, frames))
    for (const [run_no, { raw, frames }] of documents.entries()) {
      const storedFrames = await read(listFrames(run_no, first, first + 100))
      expect(storedFrames).toHaveLength(frames.length)
      expect(Buffer.concat(storedFrames.map(rawFrame)).equals(raw)).toBe(true)
    }
    const last = documents.length - 1
    expect((await read(listFrames(last, first + 1, first + 2))).map(({ n }) => n)).toEqual([first + 1, first + 2])
    await run(deleteFrames(last))
    expect(await read(listFrames(last, first, first + 100))).toEqual([])
    expect(await read(listFrames(last - 1, first, first + 100))).toHaveLength(2)
    await close()
  })
})
