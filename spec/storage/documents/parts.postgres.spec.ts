import { randomFillSync } from 'node:crypto'
import { constants, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentReader } from '../../../queries/runs/documents.ts'
import {
  framesOf,
  insertFrames,
  LARGE_FRAMES,
  listPartsAt,
  rawPlacedPart,
  SMALL_FRAMES,
  type Frame,
} from '../../../storage/documents/frames.ts'
import { openStorage, type SpecStorage } from '../../support/stores/open-storage.ts'
import { NO_OBJECTS } from '../../support/documents/no-objects.ts'

/** Bytes of which a stretch at the start of each part does not compress, so that parts differ in size. */
const documentOf = (length: number): Buffer => {
  const bytes = Buffer.alloc(length, 'abc ')
  for (let at = 0; at < length; at += SMALL_FRAMES.part)
    randomFillSync(bytes, at, Math.min(length - at, 100 + (at / SMALL_FRAMES.part) * 13))
  return bytes
}

const withChecksum = { params: { [constants.ZSTD_c_checksumFlag]: 1 } }
const EMPTY = zstdCompressSync(Buffer.alloc(0), withChecksum)

/** Frames of one part, as the first versions stored them, each with what is to follow it. */
const framesOfOnePart = (raw: Buffer, after: Buffer): Frame[] =>
  Array.from({ length: Math.ceil(raw.length / LARGE_FRAMES.frame) }, (_, n) => {
    const piece = raw.subarray(n * LARGE_FRAMES.frame, (n + 1) * LARGE_FRAMES.frame)
    return { n, raw_length: piece.length, bytes: Buffer.concat([zstdCompressSync(piece, withChecksum), after]) }
  })

/** Frames of parts with an empty frame of zstd after each of them. */
const framesWithEmpty = (raw: Buffer): Frame[] =>
  framesOf(raw, LARGE_FRAMES).map(({ n, raw_length }) => {
    const parts: Buffer[] = []
    for (let at = 0; at < raw_length; at += LARGE_FRAMES.part) {
      const start = n * LARGE_FRAMES.frame + at
      parts.push(
        zstdCompressSync(raw.subarray(start, Math.min(start + LARGE_FRAMES.part, raw.length)), withChecksum),
        EMPTY,
      )
    }
    return { n, raw_length, bytes: Buffer.concat(parts) }
  })

const LENGTH = LARGE_FRAMES.frame + 3 * LARGE_FRAMES.part + 777
const DOCUMENTS: ReadonlyArray<readonly [kind: string, frames: (raw: Buffer) => Frame[]]> = [
  ['small frames', (raw) => framesOf(raw, SMALL_FRAMES)],
  ['large frames', (raw) => framesOf(raw, LARGE_FRAMES)],
  ['large frames of one part', (raw) => framesOfOnePart(raw, Buffer.alloc(0))],
  ['large frames of one part, and an empty one', (raw) => framesOfOnePart(raw, EMPTY)],
  ['large frames of parts, and empty ones', framesWithEmpty],
]

describe('on PostgreSQL, of a short case', () => {
  const raw = documentOf(LENGTH)
  let storage: SpecStorage
  beforeAll(async () => {
    storage = await openStorage()
    for (const [i, [, frames]] of DOCUMENTS.entries()) await storage.run(insertFrames(i + 1, frames(raw)))
  })
  afterAll(() => storage.close())

  it.each(DOCUMENTS.map(([kind], i) => [kind, i + 1] as const))('each byte is read from %s', async (_, run_no) => {
    const place = fc.record({
      offset: fc.integer({ min: 0, max: LENGTH - 1 }),
      length: fc.integer({ min: 1, max: SMALL_FRAMES.part * 2 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(place, { minLength: 1, maxLength: 20 }), async (places) => {
        const asked = places.map(({ offset, length }) => ({
          run_no,
          document_offset: offset,
          document_length: Math.min(length, LENGTH - offset),
        }))
        const slices = await Array.fromAsync(documentReader(storage.reader, NO_OBJECTS).slices(asked))
        for (const [i, { document_offset, document_length }] of asked.entries())
          expect(slices[i]?.equals(raw.subarray(document_offset, document_offset + document_length))).toBe(true)
      }),
      { numRuns: 15 },
    )
  })

  it.each([
    ['small frames', 1, SMALL_FRAMES],
    ['large frames', 2, LARGE_FRAMES],
  ])('the server sends one part of %s', async (_, run_no, cut) => {
    for (let at = 0; at < LENGTH; at += cut.part) {
      const [part, ...others] = await storage.read(listPartsAt([{ run_no, at: Math.min(at + 5, LENGTH - 1) }]))
      expect(others).toEqual([])
      expect(rawPlacedPart(part!).raw.equals(raw.subarray(at, at + cut.part))).toBe(true)
      expect(part!.bytes.length).toBeLessThanOrEqual(part!.size)
      if (part!.raw_length > cut.part) expect(part!.bytes.length).toBeLessThan(part!.size / 2)
    }
  })

  it.each([
    ['no frame', Buffer.alloc(0)],
    ['a cut header', Buffer.from('28b52ffd', 'hex')],
    ['a cut block', Buffer.from('28b52ffd2401', 'hex')],
  ])('a part of %s is none', async (_, bytes) => {
    const run_no = 100 + bytes.length
    await storage.run(insertFrames(run_no, [{ n: SMALL_FRAMES.first, raw_length: 9, bytes }]))
    expect(await storage.read(listPartsAt([{ run_no, at: 3 }]))).toEqual([])
  })
})
