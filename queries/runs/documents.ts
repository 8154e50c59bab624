import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import {
  cutOfFrame,
  frameAt,
  joinFrames,
  LARGE_FRAMES,
  listFramesAfter,
  listFramesAt,
  listPartsAt,
  rawFrame,
  rawFrameAsync,
  rawPart,
  rawPlacedPart,
  SMALL_FRAMES,
  UNPACKED_SIZES,
  type DocumentPlace,
  type Frame,
  type PlacedPart,
  type Unpacked,
} from '../../storage/documents/frames.ts'
import type { ReadObject } from '../../storage/objects/object-store.ts'
import {
  documentBytesOf,
  listDocumentPieces,
  movedBytes,
  type DocumentPiece,
} from '../../storage/objects/run-objects.ts'
import { CHUNK_BYTES, ObjectDamaged } from '../../storage/objects/seal.ts'
import { maybeOne, sql } from '../../storage/sql.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Run } from './run.ts'

/**
 * Frames that the first query of an export reads, and raw bytes that each further one does. No read transaction is open
 * during a network write.
 */
const FIRST_FRAMES = 8
const BYTES_PER_QUERY = 1024 * 1024

/** The run was deleted while its document was read. */
export class DocumentDeleted extends Error {
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
  /** The whole document in order: see `exportDocument`. */
  readonly whole: (document: StoredDocument, mayContinue?: () => Promise<boolean>) => AsyncGenerator<Buffer>
  /**
   * Compares the whole document with what was recorded, and passes the length of each frame on. For threads that may block:
   * frames are unpacked in this thread, which takes half the processor time. Throws like `exportDocument`.
   */
  readonly check: (document: StoredDocument, onRead: (bytes: number) => void) => Promise<void>
}

/** Runs whose moved documents were read last, with what opens them. */
const MAX_MOVED = 64

/** How often a document is looked for again that was in neither place, or in none that can be read: it may be moved meanwhile. */
const MAX_LOOKS = 2

/** The number of places whose frames are read with one query. */
const PLACES_PER_QUERY = 50

/** Compressed frames in memory, so that a read of all cases of a document does not query each frame several times. */
const MAX_FRAMES = 8

type PartCache = LRUCache<string, Unpacked>

/**
 * A cache of unpacked parts of at most `maxSize` bytes. The `fetch` method of `lru-cache` does not fit: it rejects a read
 * whose part is evicted before the read ends.
 */
const partCache = (maxSize: number): PartCache =>
  new LRUCache({ maxSize, sizeCalculation: ({ raw }) => Math.max(1, raw.length) })

/** The cached part that contains a raw byte of a document. */
const partIn = (parts: PartCache, run_no: number, at: number): Unpacked | undefined => {
  for (const size of UNPACKED_SIZES) {
    const part = parts.get(partKey(run_no, at, size))
    if (part) return part
  }
  return undefined
}
const partKey = (run_no: number, at: number, size: number): string => `${run_no}/${size}/${Math.floor(at / size)}`

const placedPartKey = ({ run_no, n, part }: PlacedPart): string => {
  const cut = cutOfFrame(n)
  return partKey(run_no, (n - cut.first) * cut.frame + part * cut.part, cut.part)
}

/** Frames by their run and number. */
type Frames = { readonly get: (key: string) => Frame | undefined }

/** The frame that contains a raw byte of a document, however the document is cut. */
const frameIn = (frames: Frames, run_no: number, at: number): Frame | undefined =>
  frames.get(`${run_no}/${frameAt(SMALL_FRAMES, at)}`) ?? frames.get(`${run_no}/${frameAt(LARGE_FRAMES, at)}`)
const frameKey = (run_no: number, n: number): string => `${run_no}/${n}`

/** What was read for several slices at once: frames, and parts of frames by their keys. */
type Ahead = { readonly frames: Frames; readonly parts: ReadonlyMap<string, PlacedPart> }
const NONE_AHEAD: Ahead = { frames: new Map<string, Frame>(), parts: new Map() }

/** The part that contains a raw byte of a document, unpacked. */
const partAhead = ({ parts }: Ahead, run_no: number, at: number): Unpacked | undefined => {
  for (const { part: size } of [SMALL_FRAMES, LARGE_FRAMES]) {
    const part = parts.get(partKey(run_no, at, size))
    if (part) return rawPlacedPart(part)
  }
  return undefined
}

/** The chunk of a moved document that contains a raw byte, or null if the document ends before. Throws `ObjectDamaged`. */
const readChunk = async (
  pieces: readonly DocumentPiece[],
  at: number,
  readObject: ReadObject,
): Promise<Unpacked | null> => {
  const start = at - (at % CHUNK_BYTES)
  const end = Math.min(start + CHUNK_BYTES, documentBytesOf(pieces))
  if (at >= end) return null
  const raw: Buffer[] = []
  for await (const bytes of movedBytes(pieces, start, end, readObject)) raw.push(bytes)
  return { start, raw: Buffer.concat(raw), size: CHUNK_BYTES }
}

/**
 * Reads documents from their frames, or from the objects into which they were moved. `maxBytes` limits the unpacked parts in
 * memory.
 */
export const documentReader = (reader: Reader, readObject: ReadObject, maxBytes = 8 * 1024 * 1024): DocumentReader => {
  const frames = new LRUCache<string, Frame>({ max: MAX_FRAMES })
  const moved = new LRUCache<number, readonly DocumentPiece[]>({ max: MAX_MOVED })

  const readMoved = async (run_no: number, at: number, pieces: readonly DocumentPiece[]): Promise<Unpacked> => {
    const chunk = await readChunk(pieces, at, readObject)
    if (chunk) return chunk
    throw await missingBytes(reader, run_no, `document ${run_no} has no byte ${at}`)
  }

  /** What contains a raw byte of a document, unpacked. It may be moved, or moved back, while it is looked for. */
  const readUnpacked = async (run_no: number, at: number, ahead: Ahead): Promise<Unpacked> => {
    const cached = frameIn(ahead.frames, run_no, at) ?? frameIn(frames, run_no, at)
    if (cached) return rawPart(cached, at)
    let damage: ObjectDamaged | null = null
    for (let look = 0; look < MAX_LOOKS; look++) {
      const known = moved.get(run_no)
      const [frame] = known ? [] : await reader.read(listFramesAt([{ run_no, at }]))
      if (frame) {
        frames.set(frameKey(run_no, frame.n), frame)
        return rawPart(frame, at)
      }
      const pieces = known ?? (await reader.read(listDocumentPieces(run_no)))
      if (pieces.length === 0) continue
      moved.set(run_no, pieces)
      try {
        return await readMoved(run_no, at, pieces)
      } catch (error) {
        if (!(error instanceof ObjectDamaged)) throw error
        damage = error
        moved.delete(run_no)
      }
    }
    throw await missingBytes(reader, run_no, damage?.message ?? `document ${run_no} has no frame of byte ${at}`)
  }

  /** The raw bytes from an offset to the end of the part that contains it. */
  const readPart = async (parts: PartCache, run_no: number, at: number, ahead: Ahead): Promise<Buffer> => {
    let part = partIn(parts, run_no, at)
    if (!part) {
      part = partAhead(ahead, run_no, at) ?? (await readUnpacked(run_no, at, ahead))
      parts.set(partKey(run_no, at, part.size), part)
    }
    return part.raw.subarray(at - part.start)
  }

  const sliceWith =
    (parts: PartCache, ahead: Ahead = NONE_AHEAD): Slice =>
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

  /** The first and the last byte of each place, if it is not in memory; one in each stretch of a document of a size. */
  const missingIn = (places: readonly SlicePlace[], size: number): DocumentPlace[] => {
    const missing = new Map<string, DocumentPlace>()
    for (const { run_no, document_offset, document_length } of places)
      for (const at of [document_offset, document_offset + Math.max(0, document_length - 1)])
        if (!moved.has(run_no) && !partIn(parts, run_no, at) && !frameIn(frames, run_no, at))
          missing.set(partKey(run_no, at, size), { run_no, at })
    return [...missing.values()]
  }

  /** Reads what contains the first and the last byte of each place. On PostgreSQL, of a short one, parts alone. */
  const readAhead = async (places: readonly SlicePlace[]): Promise<Ahead> => {
    const isShort = ({ document_length }: SlicePlace): boolean =>
      reader.dialect === 'postgres' && document_length <= SMALL_FRAMES.part
    const short = missingIn(places.filter(isShort), SMALL_FRAMES.part)
    const placed = short.length === 0 ? [] : await reader.read(listPartsAt(short))
    const partsAhead = new Map(placed.map((part) => [placedPartKey(part), part]))
    const isThere = ({ run_no, at }: DocumentPlace): boolean =>
      [SMALL_FRAMES, LARGE_FRAMES].some(({ part }) => partsAhead.has(partKey(run_no, at, part)))
    const wanted = [
      ...missingIn(
        places.filter((place) => !isShort(place)),
        SMALL_FRAMES.frame,
      ),
      ...short.filter((place) => !isThere(place)),
    ]
    const framesAhead = wanted.length === 0 ? [] : await reader.read(listFramesAt(wanted))
    return {
      frames: new Map(framesAhead.map((frame) => [frameKey(frame.run_no, frame.n), frame])),
      parts: partsAhead,
    }
  }

  async function* slices(places: readonly SlicePlace[]): AsyncGenerator<Buffer | null> {
    for (let from = 0; from < places.length; from += PLACES_PER_QUERY) {
      const batch = places.slice(from, from + PLACES_PER_QUERY)
      const slice = sliceWith(parts, await readAhead(batch))
      for (const { run_no, document_offset, document_length } of batch)
        yield await slice(run_no, document_offset, document_length).catch(deletedAsNull)
    }
  }

  return {
    slice: sliceWith(parts),
    sliceInOrder: sliceWith(partCache(LARGE_FRAMES.frame)),
    slices,
    whole: (document, mayContinue) => exportDocument(reader, readObject, document, mayContinue),
    check: async (document, onRead) => {
      for await (const { length } of exportDocument(reader, readObject, document, undefined, rawFrame)) onRead(length)
    },
  }
}

type StoredDocument = Pick<Run, 'run_no' | 'document_bytes' | 'document_sha256'>

/**
 * The raw bytes of a document, wherever they are. A document that is moved meanwhile is read on in its other place, which has the same bytes. Ends
 * early if bytes are missing. Throws `ObjectDamaged` if an object is not the one that was stored, and no frames are there instead.
 */
async function* storedBytes(
  reader: Reader,
  readObject: ReadObject,
  { run_no, document_bytes }: StoredDocument,
  mayContinue: () => Promise<void>,
  unpack: (frame: Frame) => Buffer | Promise<Buffer>,
): AsyncGenerator<Buffer> {
  let sent = 0
  let after: number | null = null
  for (let look = 0; look < MAX_LOOKS;) {
    if (sent > 0) await mayContinue()
    const limit: number = after === null ? FIRST_FRAMES : BYTES_PER_QUERY / cutOfFrame(after).frame
    const frames: Frame[] = await reader.read(listFramesAfter(run_no, after, limit))
    for (const raw of await Promise.all(joinFrames(frames).map(async (frame) => unpack(frame)))) {
      sent += raw.length
      yield raw
    }
    after = frames.at(-1)?.n ?? after
    if (sent >= document_bytes) return
    if (frames.length > 0) continue
    const pieces = await reader.read(listDocumentPieces(run_no))
    try {
      for await (const raw of movedBytes(pieces, sent, document_bytes, readObject)) {
        sent += raw.length
        yield raw
        if (sent < document_bytes) await mayContinue()
      }
    } catch (error) {
      // It may have been moved back.
      if (!(error instanceof ObjectDamaged) || look + 1 === MAX_LOOKS) throw error
    }
    if (sent >= document_bytes) return
    look++
    // A document that was moved back is cut into small frames.
    if (sent > 0) after = frameAt(SMALL_FRAMES, sent) - 1
  }
}

/**
 * The whole document in order, up to 256 KiB at a time. By default, frames are unpacked outside of this thread: many
 * concurrent exports must not block other requests. `mayContinue` is called before each further read, because a
 * slow client may take hours to receive one document. Throws `DocumentDeleted` if that returns false or the run is
 * deleted meanwhile. Throws `DocumentDamaged` if the document differs from what was recorded. The last bytes are yielded
 * after this check, so that no client receives an altered document completely.
 */
async function* exportDocument(
  reader: Reader,
  readObject: ReadObject,
  document: StoredDocument,
  mayContinue = async (): Promise<boolean> => true,
  unpack: (frame: Frame) => Buffer | Promise<Buffer> = rawFrameAsync,
): AsyncGenerator<Buffer> {
  const { run_no, document_bytes, document_sha256 } = document
  const digest = createHash('sha256')
  let sent = 0
  let last: Buffer | null = null
  const checkAllowed = async (): Promise<void> => {
    if (!(await mayContinue())) throw new DocumentDeleted('the document may not be read any more')
  }
  try {
    for await (const raw of storedBytes(reader, readObject, document, checkAllowed, unpack)) {
      if (last) yield last
      sent += raw.length
      digest.update(raw)
      last = raw
    }
  } catch (error) {
    throw error instanceof ObjectDamaged ? await missingBytes(reader, run_no, error.message) : error
  }
  if (sent !== document_bytes)
    throw await missingBytes(reader, run_no, `document ${run_no} holds ${sent} of ${document_bytes} bytes`)
  if (digest.digest('hex') !== document_sha256)
    throw new DocumentDamaged(`document ${run_no} does not have the digest that was recorded`)
  if (last) yield last
}

/** A document that is deleted while it is read counts as not found. */
export const deletedAsNull = (error: unknown): null => {
  if (error instanceof DocumentDeleted) return null
  throw error
}
