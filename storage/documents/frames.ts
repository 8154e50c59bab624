import { promisify } from 'node:util'
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib'
import { z } from 'zod'
import { any, insertRows, sql, statement } from '../sql.ts'
import type { Query, Statement } from '../storage.ts'

/** Raw bytes a frame holds: small enough to read one case cheaply, large enough to compress well. */
export const FRAME_BYTES = 256 * 1024

// With a checksum, so that a flipped byte is an error and never another document.
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 } }

export type Frame = { readonly n: number; readonly raw_length: number; readonly bytes: Buffer }

/** Cuts a document into compressed frames, one after another, so that only one is being made at a time. */
export function* framesOf(document: Uint8Array): Generator<Frame> {
  for (let n = 0, at = 0; at < document.length || n === 0; n++, at += FRAME_BYTES) {
    const raw = document.subarray(at, at + FRAME_BYTES)
    yield { n, raw_length: raw.length, bytes: zstdCompressSync(raw, COMPRESSION) }
  }
}

const compress = promisify(zstdCompress)

/** Fewer frames than this are made at once: handing a frame to another thread costs as much as making it. */
const WORTH_SHARING = 8

/** Frames in the making at once: each holds a compressor of about a mebibyte. */
const LANES = 4

/**
 * The same frames, those of a large document made beside the calling thread: they are all there when `pending` settles.
 */
export const framesInTurns = (
  document: Uint8Array,
): { readonly frames: readonly Frame[]; readonly pending: Promise<void> } => {
  if (document.length < WORTH_SHARING * FRAME_BYTES)
    return { frames: [...framesOf(document)], pending: Promise.resolve() }
  const frames: Frame[] = []
  const count = Math.ceil(document.length / FRAME_BYTES)
  let next = 0
  const lane = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) {
      const raw = document.subarray(n * FRAME_BYTES, (n + 1) * FRAME_BYTES)
      frames[n] = { n, raw_length: raw.length, bytes: await compress(raw, COMPRESSION) }
    }
  }
  const pending = Promise.all(Array.from({ length: LANES }, lane)).then(() => undefined)
  // Whoever waits for it is told; nobody does where the document is refused meanwhile.
  pending.catch(() => {})
  return { frames, pending }
}

/** Writes a document's frames. */
export const insertFrames = (run_no: number, frames: readonly Frame[]): Statement =>
  insertRows(
    'document_frames',
    ['run_no', 'n', 'raw_length', 'bytes'],
    frames.map(({ n, raw_length, bytes }) => [run_no, n, raw_length, bytes]),
  )

/** Deletes a document. */
export const deleteFrames = (run_no: number): Statement =>
  statement`DELETE FROM document_frames WHERE run_no = ${run_no}`

const FrameRow = z.object({ n: z.number(), raw_length: z.number(), bytes: z.instanceof(Buffer) })

/**
 * Frames `from` to `to` (inclusive) of one document, in order. Visibility is the caller's: the run_no comes from a
 * query with a viewer.
 */
export const listFrames = (run_no: number, from: number, to: number): Query<Frame[]> =>
  any(
    sql.type(
      FrameRow,
    )`SELECT n, raw_length, bytes FROM document_frames WHERE run_no = ${run_no} AND n >= ${from} AND n <= ${to} ORDER BY n`,
  )

/**
 * The next frames of one document behind a number, in order, whatever their numbers are; null is before all of them.
 */
export const listFramesBehind = (run_no: number, after: number | null, limit: number): Query<Frame[]> =>
  any(sql.type(FrameRow)`
    SELECT n, raw_length, bytes FROM document_frames
    WHERE run_no = ${run_no} AND ${after === null ? sql.fragment`TRUE` : sql.fragment`n > ${after}`} ORDER BY n LIMIT ${limit}`)

/** The frames that hold a range of raw bytes. */
export const framesAround = (offset: number, length: number): { readonly from: number; readonly to: number } => ({
  from: Math.floor(offset / FRAME_BYTES),
  to: Math.floor((offset + Math.max(length, 1) - 1) / FRAME_BYTES),
})

const decompress = promisify(zstdDecompress)

/** `rawFrame`, made beside the calling thread. */
export const rawFrameAsync = async ({ bytes, raw_length }: Frame): Promise<Buffer> =>
  whole(await decompress(bytes, { maxOutputLength: FRAME_BYTES }), raw_length)

const whole = (raw: Buffer, raw_length: number): Buffer => {
  if (raw.length !== raw_length) throw new Error('a document frame does not hold what it should')
  return raw
}

/** The raw bytes of a frame. Throws when it does not hold what it should. */
export const rawFrame = ({ bytes, raw_length }: Frame): Buffer =>
  whole(zstdDecompressSync(bytes, { maxOutputLength: FRAME_BYTES }), raw_length)

/** A range of raw bytes out of the frames of `framesAround(offset, length)`. */
export const sliceOf = (frames: readonly Frame[], offset: number, length: number): Buffer => {
  // Behind the last byte of a document there may be no frame.
  if (length === 0) return Buffer.alloc(0)
  const first = frames[0]
  if (!first) throw new Error('document frames are missing')
  const raws = frames.map(rawFrame)
  const joined = raws.length === 1 && raws[0] ? raws[0] : Buffer.concat(raws)
  const start = offset - first.n * FRAME_BYTES
  if (joined.length < start + length) throw new Error('document frames are missing')
  return joined.subarray(start, start + length)
}
