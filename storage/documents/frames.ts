import { promisify } from 'node:util'
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib'
import PQueue from 'p-queue'
import { z } from 'zod'
import { any, insertRows, sql, statement } from '../sql.ts'
import type { Query, Statement } from '../storage.ts'

/** Raw bytes per frame: small enough to read one case cheaply, large enough to compress well. */
export const FRAME_BYTES = 256 * 1024

// The checksum turns a flipped byte into an error instead of a different document.
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 } }

export type Frame = { readonly n: number; readonly raw_length: number; readonly bytes: Buffer }

/** Cuts a document into compressed frames and yields them one by one, so that only one is compressed at a time. */
export function* framesOf(document: Uint8Array): Generator<Frame> {
  for (let n = 0, offset = 0; offset < document.length || n === 0; n++, offset += FRAME_BYTES) {
    const raw = document.subarray(offset, offset + FRAME_BYTES)
    yield { n, raw_length: raw.length, bytes: zstdCompressSync(raw, COMPRESSION) }
  }
}

const compress = promisify(zstdCompress)

/**
 * Smaller documents are compressed on the calling thread: passing a frame to another thread costs as much as
 * compressing it.
 */
const MIN_CONCURRENT_FRAMES = 8

/** Number of frames that are compressed concurrently; the compressor of each takes about one mebibyte. */
const CONCURRENT_FRAMES = 4

/**
 * Returns the same frames as `framesOf`. Those of a large document are compressed on other threads: `frames` is complete
 * when `pending` settles.
 */
export const framesConcurrently = (
  document: Uint8Array,
): { readonly frames: readonly Frame[]; readonly pending: Promise<void> } => {
  if (document.length < MIN_CONCURRENT_FRAMES * FRAME_BYTES)
    return { frames: [...framesOf(document)], pending: Promise.resolve() }
  const frames: Frame[] = []
  const compressFrame = async (n: number): Promise<void> => {
    const raw = document.subarray(n * FRAME_BYTES, (n + 1) * FRAME_BYTES)
    frames[n] = { n, raw_length: raw.length, bytes: await compress(raw, COMPRESSION) }
  }
  const queue = new PQueue({ concurrency: CONCURRENT_FRAMES })
  const count = Math.ceil(document.length / FRAME_BYTES)
  const pending = queue.addAll(Array.from({ length: count }, (_, n) => () => compressFrame(n))).then(() => undefined)
  // Whatever awaits `pending` still receives the error. If the document was rejected meanwhile, nothing awaits it.
  pending.catch(() => {})
  return { frames, pending }
}

/** Inserts the frames of a document. */
export const insertFrames = (run_no: number, frames: readonly Frame[]): Statement =>
  insertRows(
    'document_frames',
    ['run_no', 'n', 'raw_length', 'bytes'],
    frames.map(({ n, raw_length, bytes }) => [run_no, n, raw_length, bytes]),
  )

/** Deletes the frames of a document. */
export const deleteFrames = (run_no: number): Statement =>
  statement`DELETE FROM document_frames WHERE run_no = ${run_no}`

const FrameRow = z.object({ n: z.number(), raw_length: z.number(), bytes: z.instanceof(Buffer) })

/**
 * Frames `from` to `to` (inclusive) of one document, in order. The caller checks visibility: `run_no` must come from a
 * query with a viewer.
 */
export const listFrames = (run_no: number, from: number, to: number): Query<Frame[]> =>
  any(
    sql.type(
      FrameRow,
    )`SELECT n, raw_length, bytes FROM document_frames WHERE run_no = ${run_no} AND n >= ${from} AND n <= ${to} ORDER BY n`,
  )

/**
 * The next frames of one document after the given frame number, in order. Null starts before the first frame, even if
 * its number is negative.
 */
export const listFramesAfter = (run_no: number, after: number | null, limit: number): Query<Frame[]> =>
  any(sql.type(FrameRow)`
    SELECT n, raw_length, bytes FROM document_frames
    WHERE run_no = ${run_no} AND ${after === null ? sql.fragment`TRUE` : sql.fragment`n > ${after}`} ORDER BY n LIMIT ${limit}`)

/** The numbers of the frames that contain a range of raw bytes. */
export const framesAround = (offset: number, length: number): { readonly from: number; readonly to: number } => ({
  from: Math.floor(offset / FRAME_BYTES),
  to: Math.floor((offset + Math.max(length, 1) - 1) / FRAME_BYTES),
})

const decompress = promisify(zstdDecompress)

/** Like `rawFrame`, but decompresses on another thread. */
export const rawFrameAsync = async ({ bytes, raw_length }: Frame): Promise<Buffer> =>
  checkLength(await decompress(bytes, { maxOutputLength: FRAME_BYTES }), raw_length)

const checkLength = (raw: Buffer, raw_length: number): Buffer => {
  if (raw.length !== raw_length) throw new Error('a document frame does not have its recorded length')
  return raw
}

/** The raw bytes of a frame. Throws if their number is not the recorded length. */
export const rawFrame = ({ bytes, raw_length }: Frame): Buffer =>
  checkLength(zstdDecompressSync(bytes, { maxOutputLength: FRAME_BYTES }), raw_length)
