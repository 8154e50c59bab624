import { promisify } from 'node:util'
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib'
import PQueue from 'p-queue'
import { z } from 'zod'
import { any, insertRows, mapped, perDialect, prepared, sql, statement } from '../sql.ts'
import type { Query, Statement } from '../storage.ts'

/**
 * How a document is cut: into frames, which are rows of the table, each of parts that can be decompressed alone. A read of
 * one case reads a row and decompresses a part.
 */
export type Cut = {
  /** The number of the first frame. It shows how the document of a frame is cut. */
  readonly first: number
  /** Raw bytes per frame. */
  readonly frame: number
  /** Raw bytes per part. */
  readonly part: number
  /** The level of zstd. */
  readonly level: number
}

/**
 * How documents are cut. A case takes two fifths of the time that it takes with large frames, and a document a sixth more
 * space. A higher level compresses such small parts by 0 to 4 % more, and takes a third more time.
 */
export const SMALL_FRAMES: Cut = { first: 2 ** 20, frame: 64 * 1024, part: 16 * 1024, level: 1 }

/** How earlier versions cut documents. The first versions stored each frame as one part. */
export const LARGE_FRAMES: Cut = { first: 0, frame: 256 * 1024, part: 64 * 1024, level: 3 }

/** How the document of the n-th frame is cut. */
export const cutOfFrame = (n: number): Cut => (n < SMALL_FRAMES.first ? LARGE_FRAMES : SMALL_FRAMES)

/**
 * The buffer for the output when bytes are compressed. It is larger than any output, because zlib adds an empty frame where
 * the compressed bytes exactly fill it, and not larger than needed: garbage collection counts its bytes.
 */
export const compressionBuffer = (raw: Uint8Array) => ({ chunkSize: raw.length + 4 * 1024 })

// The checksum turns a flipped byte into an error instead of a different document.
const compression = ({ level }: Cut, raw: Uint8Array) => ({
  params: { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: 1 },
  ...compressionBuffer(raw),
})

export type Frame = { readonly n: number; readonly raw_length: number; readonly bytes: Buffer }

/** Cuts bytes into pieces of a size; no bytes are one piece. */
const piecesOf = (bytes: Uint8Array, size: number): Uint8Array[] =>
  Array.from({ length: Math.max(1, Math.ceil(bytes.length / size)) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  )

/** Cuts a document into compressed frames. The parts of a frame are one after another, each a frame of zstd. */
export const framesOf = (document: Uint8Array, cut: Cut): Frame[] =>
  piecesOf(document, cut.frame).map((raw, i) => ({
    n: cut.first + i,
    raw_length: raw.length,
    bytes: Buffer.concat(piecesOf(raw, cut.part).map((part) => zstdCompressSync(part, compression(cut, part)))),
  }))

const compress = promisify(zstdCompress)

/**
 * Smaller documents, and smaller parts, are compressed on the calling thread: passing them to another thread costs as much
 * as compressing them.
 */
const MIN_CONCURRENT_BYTES = 2 * 1024 * 1024
const MIN_CONCURRENT_PART_BYTES = 64 * 1024

/** Number of parts that are compressed concurrently; the compressor of each takes about one mebibyte. */
const CONCURRENT_PARTS = 4

/**
 * Returns the same frames as `framesOf`. Those of a large document are compressed on other threads: `frames` is complete
 * when `pending` settles.
 */
export const framesConcurrently = (
  document: Uint8Array,
  cut: Cut,
): { readonly frames: readonly Frame[]; readonly pending: Promise<void> } => {
  if (document.length < MIN_CONCURRENT_BYTES || cut.part < MIN_CONCURRENT_PART_BYTES)
    return { frames: framesOf(document, cut), pending: Promise.resolve() }
  const frames: Frame[] = []
  const queue = new PQueue({ concurrency: CONCURRENT_PARTS })
  const compressFrame = async (raw: Uint8Array, i: number): Promise<void> => {
    const parts = await queue.addAll(
      piecesOf(raw, cut.part).map((part) => () => compress(part, compression(cut, part))),
    )
    frames[i] = { n: cut.first + i, raw_length: raw.length, bytes: Buffer.concat(parts) }
  }
  const pending = Promise.all(piecesOf(document, cut.frame).map(compressFrame)).then(() => undefined)
  // Whatever awaits `pending` still receives the error. If the document was rejected meanwhile, nothing awaits it.
  pending.catch(() => {})
  return { frames, pending }
}

const FRAME_COLUMNS = ['run_no', 'n', 'raw_length', 'bytes']

/** Inserts the frames of a document. */
export const insertFrames = (run_no: number, frames: readonly Frame[]): Statement =>
  insertRows(
    'document_frames',
    FRAME_COLUMNS,
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

/** The number of the frame that contains a raw byte of a document, if the document is cut in that way. */
export const frameAt = ({ first, frame }: Cut, at: number): number => first + Math.floor(at / frame)

/** A raw byte of the document of a run. */
export type DocumentPlace = { readonly run_no: number; readonly at: number }

const PlacedFrameRow = FrameRow.extend({ run_no: z.number() })
export type PlacedFrame = z.infer<typeof PlacedFrameRow>

/**
 * The frames that contain the given bytes, however the documents are cut, in any order. Bytes beyond the end of a document
 * have none. The caller checks visibility, as for `listFrames`.
 */
export const listFramesAt = (places: readonly DocumentPlace[]): Query<PlacedFrame[]> => {
  const wanted = places.flatMap(({ run_no, at }) =>
    [SMALL_FRAMES, LARGE_FRAMES].map((cut) => ({ run_no, n: frameAt(cut, at) })),
  )
  const run_nos = wanted.map(({ run_no }) => run_no)
  const numbers = wanted.map(({ n }) => n)
  const frames = any(
    perDialect(
      sql.type(PlacedFrameRow)`
        SELECT frame.run_no, frame.n, frame.raw_length, frame.bytes
        FROM json_each(${JSON.stringify(wanted.map(({ run_no, n }) => [run_no, n]))}) place CROSS JOIN document_frames frame
        WHERE frame.run_no = place.value ->> 0 AND frame.n = place.value ->> 1`,
      sql.type(PlacedFrameRow)`
        SELECT frame.run_no, frame.n, frame.raw_length, frame.bytes
        FROM unnest(CAST(${`{${run_nos.join(',')}}`} AS bigint[]), CAST(${`{${numbers.join(',')}}`} AS bigint[])) AS place (run_no, n)
          JOIN document_frames frame ON frame.run_no = place.run_no AND frame.n = place.n`,
    ),
  )
  return prepared(frames)
}

const PlacedPartRow = PlacedFrameRow.extend({
  part: z.number(),
  size: z.number(),
  bytes: z.instanceof(Buffer).nullable(),
})
/** One part of a frame, compressed; `size` is the number of compressed bytes of the whole frame. */
export type PlacedPart = Omit<z.infer<typeof PlacedPartRow>, 'bytes'> & { readonly bytes: Buffer }

/** More bytes than an empty frame of zstd has. */
const MORE_THAN_EMPTY = 32

/**
 * PostgreSQL only: like `listFramesAt`, but only the parts that contain the bytes. The driver receives bytes as text, so a
 * whole frame takes several times as long. A frame that may be one part (see `LARGE_FRAMES`) is left out.
 */
export const listPartsAt = (places: readonly DocumentPlace[]): Query<PlacedPart[]> => {
  const wanted = places.flatMap(({ run_no, at }) =>
    [SMALL_FRAMES, LARGE_FRAMES].map((cut) => ({
      run_no,
      n: frameAt(cut, at),
      part: Math.floor((at % cut.frame) / cut.part),
    })),
  )
  const numbers = (name: keyof (typeof wanted)[number]): string => `{${wanted.map((place) => place[name]).join(',')}}`
  const parts = mapped(
    any(sql.type(PlacedPartRow)`
      SELECT frame.run_no, frame.n, frame.raw_length, place.part, octet_length(frame.bytes) AS size,
        part_of_frame(frame.bytes, place.part) AS bytes
      FROM unnest(CAST(${numbers('run_no')} AS bigint[]), CAST(${numbers('n')} AS bigint[]), CAST(${numbers('part')} AS integer[]))
          AS place (run_no, n, part)
        JOIN document_frames frame ON frame.run_no = place.run_no AND frame.n = place.n`),
    (rows) =>
      rows.flatMap(({ bytes, ...row }) => {
        const mayBeWhole =
          row.part === 0 && row.raw_length > cutOfFrame(row.n).part && row.size - (bytes?.length ?? 0) < MORE_THAN_EMPTY
        return bytes === null || mayBeWhole ? [] : [{ ...row, bytes }]
      }),
  )
  return prepared(parts)
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
const frameParts = ({ n, bytes, raw_length }: Frame): Part[] => {
  const { part: partBytes } = cutOfFrame(n)
  const parts: Part[] = []
  for (let start = 0; start < bytes.length;) {
    const { end, isEmpty } = endOfPart(bytes, start)
    const offset = parts.length * partBytes
    const length = Math.min(partBytes, Math.max(0, raw_length - offset))
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
  maxOutputLength: Math.max(1, Math.min(length, LARGE_FRAMES.frame)),
  chunkSize: Math.max(MIN_CHUNK_BYTES, Math.min(length, LARGE_FRAMES.frame) + 1),
})

const checkLength = (raw: Buffer, length: number): Buffer => {
  if (raw.length !== length) throw new Error(WRONG_LENGTH)
  return raw
}

const rawBytes = (part: Part): Buffer => checkLength(zstdDecompressSync(part.bytes, decompression(part)), part.length)

const joined = ({ raw_length }: Frame, parts: readonly Buffer[]): Buffer =>
  checkLength(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts), raw_length)

type Decompression = readonly [bytes: Buffer, options: { readonly maxOutputLength: number; readonly chunkSize: number }]

/**
 * The calls of zlib that together decompress a frame. If each part fills a buffer of zlib exactly, it goes on with the next
 * part, so that one call decompresses all. An empty frame of zstd between two parts would end it.
 */
const decompressions = (frame: Frame): Decompression[] => {
  const parts = frameParts(frame)
  const isWhole = parts.length > 1 && parts.reduce((sum, { bytes }) => sum + bytes.length, 0) === frame.bytes.length
  const options = { maxOutputLength: LARGE_FRAMES.frame, chunkSize: cutOfFrame(frame.n).part }
  return isWhole ? [[frame.bytes, options]] : parts.map((part) => [part.bytes, decompression(part)])
}

/** The raw bytes of a frame. Throws if their number is not the recorded length. */
export const rawFrame = (frame: Frame): Buffer =>
  joined(
    frame,
    decompressions(frame).map(([bytes, options]) => zstdDecompressSync(bytes, options)),
  )

const decompress = promisify(zstdDecompress)

/** Like `rawFrame`, but decompresses on other threads. */
export const rawFrameAsync = async (frame: Frame): Promise<Buffer> =>
  joined(frame, await Promise.all(decompressions(frame).map(([bytes, options]) => decompress(bytes, options))))

/**
 * Frames that follow one another as fewer, larger ones, which one call of zlib each unpacks: a call takes as long as
 * unpacking several parts. All but the last frame of a document are full.
 */
export const joinFrames = (frames: readonly Frame[]): Frame[] => {
  const joint: Frame[] = []
  for (const frame of frames) {
    const last = joint.at(-1)
    const isFull = last !== undefined && last.raw_length % cutOfFrame(last.n).frame === 0
    if (last && isFull && last.raw_length + frame.raw_length <= LARGE_FRAMES.frame)
      joint[joint.length - 1] = {
        ...last,
        bytes: Buffer.concat([last.bytes, frame.bytes]),
        raw_length: last.raw_length + frame.raw_length,
      }
    else joint.push(frame)
  }
  return joint
}

/** Unpacked bytes of a document, and where they start in it. `size` is a power of two: they start at a multiple of it. */
export type Unpacked = { readonly start: number; readonly raw: Buffer; readonly size: number }

/** The sizes of what can be unpacked: a part, or a frame of one part. */
export const UNPACKED_SIZES: readonly number[] = [SMALL_FRAMES.part, LARGE_FRAMES.part, LARGE_FRAMES.frame]

/** The raw bytes of one part. Throws like `rawFrame`. */
export const rawPlacedPart = ({ n, part, raw_length, bytes }: PlacedPart): Unpacked => {
  const cut = cutOfFrame(n)
  const offset = part * cut.part
  return {
    start: (n - cut.first) * cut.frame + offset,
    raw: rawBytes({ offset, length: Math.min(cut.part, raw_length - offset), bytes }),
    size: cut.part,
  }
}

/** The part of a frame that contains the raw byte `at` of the document; no bytes if the frame ends before. */
export const rawPart = (frame: Frame, at: number): Unpacked => {
  const cut = cutOfFrame(frame.n)
  const frameStart = (frame.n - cut.first) * cut.frame
  const part = frameParts(frame).find(({ offset, length }) => at < frameStart + offset + length)
  if (!part) return { start: at - (at % cut.part), raw: Buffer.alloc(0), size: cut.part }
  return {
    start: frameStart + part.offset,
    raw: rawBytes(part),
    size: part.length > cut.part ? cut.frame : cut.part,
  }
}
