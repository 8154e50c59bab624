import { promisify } from 'node:util'
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib'
import PQueue from 'p-queue'
import { z } from 'zod'
import { any, insertRows, perDialect, sql, statement } from '../sql.ts'
import type { Query, Statement } from '../storage.ts'

/** Raw bytes per frame: one row of the table. */
export const FRAME_BYTES = 256 * 1024

/**
 * Raw bytes per part of a frame. A part can be decompressed alone, so that reading one case is cheap. Parts of 64 KiB
 * make documents of evaluation runs 8 % larger than frames without parts, and a case costs a quarter. Earlier versions
 * stored each frame as one part.
 */
export const PART_BYTES = 64 * 1024

/**
 * The buffer for the output when bytes are compressed. It is larger than any output, because zlib adds an empty frame where
 * the compressed bytes exactly fill it, and not larger than needed: garbage collection counts its bytes.
 */
export const compressionBuffer = (raw: Uint8Array) => ({ chunkSize: raw.length + 4 * 1024 })

// The checksum turns a flipped byte into an error instead of a different document.
const compression = (raw: Uint8Array) => ({
  params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 },
  ...compressionBuffer(raw),
})

export type Frame = { readonly n: number; readonly raw_length: number; readonly bytes: Buffer }

const partsOfRaw = (raw: Uint8Array): Uint8Array[] =>
  Array.from({ length: Math.max(1, Math.ceil(raw.length / PART_BYTES)) }, (_, i) =>
    raw.subarray(i * PART_BYTES, (i + 1) * PART_BYTES),
  )

/** Compresses one frame: its parts, one after another, each a frame of zstd. */
const compressedFrame = (n: number, raw: Uint8Array): Frame => ({
  n,
  raw_length: raw.length,
  bytes: Buffer.concat(partsOfRaw(raw).map((part) => zstdCompressSync(part, compression(part)))),
})

/** Cuts a document into compressed frames and yields them one by one, so that only one is compressed at a time. */
export function* framesOf(document: Uint8Array): Generator<Frame> {
  for (let n = 0, offset = 0; offset < document.length || n === 0; n++, offset += FRAME_BYTES)
    yield compressedFrame(n, document.subarray(offset, offset + FRAME_BYTES))
}

const compress = promisify(zstdCompress)

/**
 * Smaller documents are compressed on the calling thread: passing a frame to another thread costs as much as
 * compressing it.
 */
const MIN_CONCURRENT_FRAMES = 8

/** Number of parts that are compressed concurrently; the compressor of each takes about one mebibyte. */
const CONCURRENT_PARTS = 4

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
  const queue = new PQueue({ concurrency: CONCURRENT_PARTS })
  const compressFrame = async (n: number): Promise<void> => {
    const raw = document.subarray(n * FRAME_BYTES, (n + 1) * FRAME_BYTES)
    const parts = await queue.addAll(partsOfRaw(raw).map((part) => () => compress(part, compression(part))))
    frames[n] = { n, raw_length: raw.length, bytes: Buffer.concat(parts) }
  }
  const count = Math.ceil(document.length / FRAME_BYTES)
  const pending = Promise.all(Array.from({ length: count }, (_, n) => compressFrame(n))).then(() => undefined)
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
    sql.type(FrameRow)`
      SELECT n, raw_length, bytes FROM document_frames
      WHERE run_no = ${run_no} AND n >= ${from} AND n <= ${to}
      ORDER BY n`,
  )

/** A frame by its run and its number. */
export type FramePlace = { readonly run_no: number; readonly n: number }

const PlacedFrameRow = FrameRow.extend({ run_no: z.number() })

/** Those of the frames that exist, in any order. The caller checks visibility, as for `listFrames`. */
export const listFramesAt = (places: readonly FramePlace[]): Query<Array<Frame & FramePlace>> => {
  const run_nos = places.map(({ run_no }) => run_no)
  const numbers = places.map(({ n }) => n)
  return any(
    perDialect(
      sql.type(PlacedFrameRow)`
        SELECT frame.run_no, frame.n, frame.raw_length, frame.bytes
        FROM json_each(${JSON.stringify(places.map(({ run_no, n }) => [run_no, n]))}) place CROSS JOIN document_frames frame
        WHERE frame.run_no = place.value ->> 0 AND frame.n = place.value ->> 1`,
      sql.type(PlacedFrameRow)`
        SELECT frame.run_no, frame.n, frame.raw_length, frame.bytes
        FROM unnest(CAST(${`{${run_nos.join(',')}}`} AS bigint[]), CAST(${`{${numbers.join(',')}}`} AS bigint[])) AS place (run_no, n)
          JOIN document_frames frame ON frame.run_no = place.run_no AND frame.n = place.n`,
    ),
  )
}

/**
 * The next frames of one document after the given frame number, in order. Null starts before the first frame, even if
 * its number is negative.
 */
export const listFramesAfter = (run_no: number, after: number | null, limit: number): Query<Frame[]> =>
  any(sql.type(FrameRow)`
    SELECT n, raw_length, bytes FROM document_frames
    WHERE run_no = ${run_no} AND ${after === null ? sql.fragment`TRUE` : sql.fragment`n > ${after}`} ORDER BY n LIMIT ${limit}`)

const ZSTD_MAGIC = 0xfd2fb528
const RLE_BLOCK = 1
/** Header of a raw block without bytes that is the last of its frame. */
const LAST_EMPTY_BLOCK = 1

/** Where the frame of zstd that starts at an offset ends, and whether it is empty. Reads only headers (RFC 8878, 3.1.1). */
const endOfPart = (bytes: Buffer, start: number): { readonly end: number; readonly isEmpty: boolean } => {
  if (bytes.readUInt32LE(start) !== ZSTD_MAGIC) throw new Error('a document frame has a part that is not zstd')
  const descriptor = bytes.readUInt8(start + 4)
  const isSingleSegment = (descriptor & 0x20) !== 0
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0
  const firstBlock = start + 5 + (isSingleSegment ? 0 : 1) + dictionaryBytes + sizeBytes
  const isEmpty = bytes.readUIntLE(firstBlock, 3) === LAST_EMPTY_BLOCK
  let offset = firstBlock
  for (let isLast = false; !isLast;) {
    const header = bytes.readUIntLE(offset, 3)
    isLast = (header & 1) === 1
    offset += 3 + (((header >> 1) & 3) === RLE_BLOCK ? 1 : header >> 3)
  }
  const hasChecksum = (descriptor & 4) !== 0
  return { end: offset + (hasChecksum ? 4 : 0), isEmpty }
}

/** One part of a frame: its compressed bytes, and where its raw bytes are in the frame. */
type Part = { readonly offset: number; readonly length: number; readonly bytes: Buffer }

/**
 * The parts of a frame, in order. A frame of an earlier version is one part. An earlier version also stored an empty
 * frame of zstd after a part whose compressed bytes exactly filled the compressor's buffer. It is no part.
 */
const frameParts = ({ bytes, raw_length }: Frame): Part[] => {
  const parts: Part[] = []
  for (let start = 0; start < bytes.length;) {
    const { end, isEmpty } = endOfPart(bytes, start)
    const offset = parts.length * PART_BYTES
    const length = Math.min(PART_BYTES, Math.max(0, raw_length - offset))
    if (!isEmpty) parts.push({ offset, length, bytes: bytes.subarray(start, end) })
    start = end
  }
  return parts.length < 2 ? [{ offset: 0, length: raw_length, bytes }] : parts
}

const WRONG_LENGTH = 'a document frame does not have its recorded length'

const MIN_CHUNK_BYTES = 64
/**
 * The output gets one buffer. By default, zlib would join buffers of 16 KiB, in twice the time. The buffer is one byte
 * longer than the output, because zlib allocates a second one when the first is full.
 */
const decompression = ({ length }: Part) => ({
  maxOutputLength: Math.max(1, Math.min(length, FRAME_BYTES)),
  chunkSize: Math.max(MIN_CHUNK_BYTES, Math.min(length, FRAME_BYTES) + 1),
})

const checkLength = (raw: Buffer, length: number): Buffer => {
  if (raw.length !== length) throw new Error(WRONG_LENGTH)
  return raw
}

const rawBytes = (part: Part): Buffer => checkLength(zstdDecompressSync(part.bytes, decompression(part)), part.length)

const joined = ({ raw_length }: Frame, parts: readonly Buffer[]): Buffer =>
  checkLength(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts), raw_length)

/** The raw bytes of a frame. Throws if their number is not the recorded length. */
export const rawFrame = (frame: Frame): Buffer => joined(frame, frameParts(frame).map(rawBytes))

const decompress = promisify(zstdDecompress)

/** Like `rawFrame`, but decompresses on other threads. */
export const rawFrameAsync = async (frame: Frame): Promise<Buffer> =>
  joined(
    frame,
    await Promise.all(
      frameParts(frame).map(async (part) =>
        checkLength(await decompress(part.bytes, decompression(part)), part.length),
      ),
    ),
  )

/**
 * The raw bytes of the part of a frame that contains the raw byte `from`, and their offset in the frame. No bytes if the
 * frame ends before.
 */
export const rawPart = (frame: Frame, from: number): { readonly offset: number; readonly raw: Buffer } => {
  const part = frameParts(frame).find(({ offset, length }) => from < offset + length)
  return part
    ? { offset: part.offset, raw: rawBytes(part) }
    : { offset: from - (from % PART_BYTES), raw: Buffer.alloc(0) }
}
