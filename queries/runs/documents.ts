import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import {
  FRAME_BYTES,
  listFrames,
  listFramesAt,
  PART_BYTES,
  rawFrame,
  rawFrameAsync,
  rawPart,
  type Frame,
  type FramePlace,
} from '../../storage/documents/frames.ts'
import { maybeOne, sql } from '../../storage/sql.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Run } from './run.ts'

/** Frames that an export reads per query. No read transaction is open during a network write. */
const FRAMES_PER_QUERY = 4

/** The run was deleted while its document was read. */
class DocumentDeleted extends Error {
  override readonly name = 'DocumentDeleted'
}

/** A document differs from what was recorded, although its run exists: the store is damaged. */
class DocumentDamaged extends Error {
  override readonly name = 'DocumentDamaged'
}

const RunNo = z.object({ run_no: z.number() })

/**
 * Returns the error for missing bytes: `DocumentDamaged` if the run still exists, because a deletion removes a run
 * together with its document.
 */
const missingBytes = async (reader: Reader, run_no: number, message: string): Promise<Error> => {
  const run = await reader.read(maybeOne(sql.type(RunNo)`SELECT run_no FROM runs WHERE run_no = ${run_no}`))
  return run ? new DocumentDamaged(message) : new DocumentDeleted(message)
}

type Slice = (run_no: number, offset: number, length: number) => Promise<Buffer>

/** A range of raw bytes of a document. */
export type SlicePlace = { readonly run_no: number; readonly document_offset: number; readonly document_length: number }

/** Reads ranges of raw bytes of documents. */
export type DocumentReader = {
  /** Caches recently used parts of frames, unpacked. */
  readonly slice: Slice
  /**
   * Caches one frame only, for a read that passes through a document in order. V8 takes buffers that were cached for a while
   * for long-lived, and frees them late: with the other cache, an export of 64 MiB takes 10 to 20 MiB more.
   */
  readonly sliceInOrder: Slice
  /**
   * Yields a slice for each place, in the order of the places; null if the document was deleted. Reads the frames of many
   * places with one query.
   */
  readonly slices: (places: readonly SlicePlace[]) => AsyncGenerator<Buffer | null>
}

/** The number of places whose frames are read with one query, and how many frames of a place are. */
const PLACES_PER_QUERY = 16
const FRAMES_PER_PLACE = 2

/** Compressed frames in memory, so that a read of all cases of a document does not query each frame several times. */
const MAX_FRAMES = 8

type PartCache = LRUCache<string, Buffer>

/**
 * A cache of unpacked parts of at most `maxSize` bytes. The `fetch` method of `lru-cache` does not fit: it rejects a read
 * whose part is evicted before the read ends.
 */
const partCache = (maxSize: number): PartCache =>
  new LRUCache({ maxSize, sizeCalculation: ({ length }) => Math.max(1, length) })

/** Frames that were read for several slices at once, by run and number. */
type FramesAhead = ReadonlyMap<string, Frame>
const NONE_AHEAD: FramesAhead = new Map()

/** `maxBytes` limits the unpacked parts in memory. */
export const documentReader = (reader: Reader, maxBytes = 8 * 1024 * 1024): DocumentReader => {
  const frames = new LRUCache<string, Frame>({ max: MAX_FRAMES })

  const readFrame = async (run_no: number, n: number, ahead: FramesAhead): Promise<Frame> => {
    const key = `${run_no}/${n}`
    const cached = ahead.get(key) ?? frames.get(key)
    if (cached) return cached
    const [frame] = await reader.read(listFrames(run_no, n, n))
    if (!frame) throw await missingBytes(reader, run_no, `document ${run_no} has no frame ${n}`)
    frames.set(key, frame)
    return frame
  }

  /** The raw bytes from an offset to the end of the part that contains it. */
  const readPart = async (parts: PartCache, run_no: number, at: number, ahead: FramesAhead): Promise<Buffer> => {
    const partStart = at - (at % PART_BYTES)
    const frameStart = at - (at % FRAME_BYTES)
    const key = `${run_no}/${partStart}`
    const wholeKey = `${run_no}/${frameStart}/whole`
    const cached = parts.get(key)
    if (cached) return cached.subarray(at - partStart)
    const whole = parts.get(wholeKey)
    if (whole) return whole.subarray(at - frameStart)
    const { offset, raw } = rawPart(await readFrame(run_no, frameStart / FRAME_BYTES, ahead), at - frameStart)
    parts.set(raw.length > PART_BYTES ? wholeKey : key, raw)
    return raw.subarray(at - frameStart - offset)
  }

  const sliceWith =
    (parts: PartCache, ahead: FramesAhead = NONE_AHEAD): Slice =>
    async (run_no, offset, length) => {
      const found: Buffer[] = []
      for (let at = offset, left = length; left > 0 || found.length === 0;) {
        const part = (await readPart(parts, run_no, at, ahead)).subarray(0, left)
        if (part.length === 0 && left > 0)
          throw await missingBytes(reader, run_no, `document ${run_no} ends before byte ${offset + length}`)
        found.push(part)
        at += part.length
        left -= part.length
      }
      return found.length === 1 && found[0] ? found[0] : Buffer.concat(found)
    }
  const parts = partCache(maxBytes)

  /** Reads the first frames of each place whose parts are not in memory. */
  const readAhead = async (places: readonly SlicePlace[]): Promise<FramesAhead> => {
    const wanted = new Map<string, FramePlace>()
    for (const { run_no, document_offset, document_length } of places) {
      const first = Math.floor(document_offset / FRAME_BYTES)
      const end = Math.min(document_offset + document_length, (first + FRAMES_PER_PLACE) * FRAME_BYTES)
      for (let at = document_offset - (document_offset % PART_BYTES); at < end; at += PART_BYTES) {
        const n = Math.floor(at / FRAME_BYTES)
        const key = `${run_no}/${n}`
        if (!frames.has(key) && !parts.has(`${run_no}/${at}`) && !parts.has(`${run_no}/${n * FRAME_BYTES}/whole`))
          wanted.set(key, { run_no, n })
      }
    }
    if (wanted.size === 0) return NONE_AHEAD
    const found = await reader.read(listFramesAt([...wanted.values()]))
    return new Map(found.map((frame) => [`${frame.run_no}/${frame.n}`, frame]))
  }

  async function* slices(places: readonly SlicePlace[]): AsyncGenerator<Buffer | null> {
    for (let from = 0; from < places.length; from += PLACES_PER_QUERY) {
      const batch = places.slice(from, from + PLACES_PER_QUERY)
      const slice = sliceWith(parts, await readAhead(batch))
      for (const { run_no, document_offset, document_length } of batch)
        yield await slice(run_no, document_offset, document_length).catch(deletedAsNull)
    }
  }

  return { slice: sliceWith(parts), sliceInOrder: sliceWith(partCache(FRAME_BYTES)), slices }
}

type StoredDocument = Pick<Run, 'run_no' | 'document_bytes' | 'document_sha256'>

/**
 * The whole document in order, one raw frame at a time. By default, frames are unpacked outside of this thread: many
 * concurrent exports must not block other requests. `mayContinue` is called before each further query, because a
 * slow client may take hours to receive one document. Throws `DocumentDeleted` if that returns false or the run is
 * deleted meanwhile. Throws `DocumentDamaged` if the document differs from what was recorded. The last frame is yielded
 * after this check, so that no client receives an altered document completely.
 */
export async function* exportDocument(
  reader: Reader,
  { run_no, document_bytes, document_sha256 }: StoredDocument,
  mayContinue = async (): Promise<boolean> => true,
  unpack: (frame: Frame) => Buffer | Promise<Buffer> = rawFrameAsync,
): AsyncGenerator<Buffer> {
  const total = Math.max(1, Math.ceil(document_bytes / FRAME_BYTES))
  const digest = createHash('sha256')
  let sent = 0
  let last: Buffer | null = null
  for (let n = 0; n < total; n += FRAMES_PER_QUERY) {
    if (n > 0 && !(await mayContinue())) throw new DocumentDeleted('the document may not be read any more')
    const frames = await reader.read(listFrames(run_no, n, Math.min(n + FRAMES_PER_QUERY, total) - 1))
    for (const raw of await Promise.all(frames.map(async (frame) => unpack(frame)))) {
      if (last) yield last
      sent += raw.length
      digest.update(raw)
      last = raw
    }
  }
  if (sent !== document_bytes)
    throw await missingBytes(reader, run_no, `document ${run_no} holds ${sent} of ${document_bytes} bytes`)
  if (digest.digest('hex') !== document_sha256)
    throw new DocumentDamaged(`document ${run_no} does not have the digest that was recorded`)
  if (last) yield last
}

/**
 * Compares the whole document with what was recorded, and passes the length of each frame on. For threads that may block:
 * frames are unpacked in this thread, which takes half the processor time. Throws like `exportDocument`.
 */
export const checkDocument = async (
  reader: Reader,
  document: StoredDocument,
  onRead: (bytes: number) => void,
): Promise<void> => {
  for await (const { length } of exportDocument(reader, document, undefined, rawFrame)) onRead(length)
}

/** A document that is deleted while it is read counts as not found. */
export const deletedAsNull = (error: unknown): null => {
  if (error instanceof DocumentDeleted) return null
  throw error
}
