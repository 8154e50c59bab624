import { randomFillSync } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  deleteFrames,
  FRAME_BYTES,
  framesAround,
  framesConcurrently,
  framesOf,
  insertFrames,
  listFrames,
  rawFrame,
  rawFrameAsync,
} from '../../../storage/documents/frames.ts'
import type { Frame } from '../../../storage/documents/frames.ts'
import { openStorage } from '../../support/stores/open-storage.ts'

/** Bytes that are partly compressible, so that frames differ in size. */
const documentOf = (length: number): Buffer => {
  const bytes = Buffer.alloc(length, 'abc ')
  randomFillSync(bytes, 0, Math.min(length, 10_000))
  return bytes
}

/** A range of raw bytes, from the frames around it. */
const slice = (frames: readonly Frame[], offset: number, length: number): Buffer => {
  const start = offset - (frames[0]?.n ?? 0) * FRAME_BYTES
  return Buffer.concat(frames.map(rawFrame)).subarray(start, start + length)
}

const LENGTHS = [0, 1, FRAME_BYTES - 1, FRAME_BYTES, FRAME_BYTES + 1, 2 * FRAME_BYTES, 3 * FRAME_BYTES + 17]
const documents = LENGTHS.map((length) => {
  const raw = documentOf(length)
  return { raw, frames: [...framesOf(raw)] }
})

describe('the frames of a document', () => {
  it.each(documents.map(({ raw, frames }) => [raw.length, frames.length]))('of %i bytes are %i', (length, count) =>
    expect(count).toBe(Math.max(1, Math.ceil(length / FRAME_BYTES))),
  )

  it('are numbered, full except the last, and contain the bytes in order', () => {
    for (const { raw, frames } of documents) {
      expect(frames.map(({ n }) => n)).toEqual(frames.map((_, i) => i))
      expect(frames.slice(0, -1).every(({ raw_length }) => raw_length === FRAME_BYTES)).toBe(true)
      expect(Buffer.concat(frames.map(rawFrame)).equals(raw)).toBe(true)
    }
  })

  it('contain any slice of the raw bytes in the frames around it', () =>
    fc.assert(
      fc.property(
        fc.constantFrom(...documents),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        ({ raw, frames }, start, part) => {
          const offset = Math.floor(start * raw.length)
          const length = Math.floor(part * (raw.length - offset))
          const { from, to } = framesAround(offset, length)
          expect(slice(frames.slice(from, to + 1), offset, length).equals(raw.subarray(offset, offset + length))).toBe(
            true,
          )
        },
      ),
      { numRuns: 200 },
    ))

  it.each([
    [0, 1],
    [FRAME_BYTES - 1, 1],
    [FRAME_BYTES - 1, 2],
    [FRAME_BYTES, 1],
    [FRAME_BYTES, FRAME_BYTES],
    [FRAME_BYTES - 1, FRAME_BYTES + 2],
  ])('around the offset %i for %i bytes are as few as possible', (offset, length) => {
    const { from, to } = framesAround(offset, length)
    expect([from, to]).toEqual([Math.floor(offset / FRAME_BYTES), Math.floor((offset + length - 1) / FRAME_BYTES)])
  })

  it('are rejected if they do not have their recorded length', () => {
    const [frame] = documents[1]!.frames
    expect(() => rawFrame({ ...frame!, raw_length: 2 })).toThrow('does not have its recorded length')
    const [large] = framesOf(Buffer.alloc(FRAME_BYTES))
    expect(() => rawFrame({ ...large!, bytes: Buffer.concat([large!.bytes, large!.bytes]) })).toThrow()
  })

  it('are the same and in order when compressed on other threads', async () => {
    for (const { raw, frames } of documents) {
      const concurrent = framesConcurrently(raw)
      await concurrent.pending
      expect(concurrent.frames).toEqual(frames)
    }
  })

  it('give the same bytes and errors when decompressed on other threads', async () => {
    for (const frame of documents.flatMap(({ frames }) => frames))
      expect((await rawFrameAsync(frame)).equals(rawFrame(frame))).toBe(true)
    const [frame] = documents[1]!.frames
    await expect(rawFrameAsync({ ...frame!, raw_length: 2 })).rejects.toThrow('does not have its recorded length')
    const [large] = framesOf(Buffer.alloc(FRAME_BYTES))
    await expect(rawFrameAsync({ ...large!, bytes: Buffer.concat([large!.bytes, large!.bytes]) })).rejects.toThrow()
    await expect(rawFrameAsync({ ...large!, bytes: large!.bytes.subarray(1) })).rejects.toThrow()
  })

  it('are stored, read and deleted per document', async () => {
    const { read, run, close } = await openStorage()
    for (const [run_no, { frames }] of documents.entries()) await run(insertFrames(run_no, frames))
    for (const [run_no, { raw, frames }] of documents.entries()) {
      const storedFrames = await read(listFrames(run_no, 0, 100))
      expect(storedFrames).toHaveLength(frames.length)
      expect(slice(storedFrames, 0, raw.length).equals(raw)).toBe(true)
    }
    const last = documents.length - 1
    expect((await read(listFrames(last, 1, 2))).map(({ n }) => n)).toEqual([1, 2])
    await run(deleteFrames(last))
    expect(await read(listFrames(last, 0, 100))).toEqual([])
    expect(await read(listFrames(last - 1, 0, 100))).toHaveLength(2)
    await close()
  })
})
