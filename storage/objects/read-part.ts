import { createHash } from 'node:crypto'
import { rawFrameAsync } from '../documents/frames.ts'
import type { Query } from '../storage.ts'
import type { ReadObject } from './object-store.ts'
import { listPartFrames, listPartPieces, type PartPiece, type SealedObject } from './rows.ts'
import { CHUNK_BYTES, isChunkLength, ObjectDamaged, openChunk } from './seal.ts'

type Read = <T>(query: Query<T>) => T | Promise<T>

/** Chunks that one read of a store fetches. */
const CHUNKS_PER_READ = 8

/** The raw bytes of a piece from one offset to another in it, chunk by chunk. Throws `ObjectDamaged`. */
export async function* pieceBytes(
  piece: PartPiece,
  from: number,
  to: number,
  readObject: ReadObject,
): AsyncGenerator<Buffer> {
  if (piece.offset !== null) {
    yield* objectBytes(piece, piece.offset + from, piece.offset + to, readObject)
    return
  }
  if (piece.lengths.length !== Math.max(1, Math.ceil(piece.bytes / CHUNK_BYTES)))
    throw new ObjectDamaged(`object ${piece.object_id} does not have the lengths of its bytes`)
  yield* objectBytes(piece, from, to, readObject, piece.bytes)
}

/** The raw bytes of an object from one offset to another, chunk by chunk; `total` is how many it has, if known. Throws `ObjectDamaged`. */
async function* objectBytes(
  { object_id, place, key, lengths }: Pick<PartPiece, 'object_id' | 'place' | 'key' | 'lengths'>,
  from: number,
  to: number,
  readObject: ReadObject,
  total: number | null = null,
): AsyncGenerator<Buffer> {
  if (key === null) throw new ObjectDamaged(`object ${object_id} has no key`)
  const first = Math.floor(from / CHUNK_BYTES)
  const last = Math.floor((to - 1) / CHUNK_BYTES)
  if (last >= lengths.length || !lengths.slice(first, last + 1).every(isChunkLength))
    throw new ObjectDamaged(`object ${object_id} does not have the lengths of its bytes`)
  let offset = lengths.slice(0, first).reduce((sum, length) => sum + length, 0)
  const groupAt = (n: number): readonly number[] => lengths.slice(n, Math.min(last + 1, n + CHUNKS_PER_READ))
  const fetchGroup = (n: number): Promise<Buffer> => {
    const total = groupAt(n).reduce((sum, length) => sum + length, 0)
    const sealed = readObject({ object_id, place }, offset, total)
    offset += total
    return sealed
  }
  let next = fetchGroup(first)
  for (let n = first; n <= last; n += CHUNKS_PER_READ) {
    const group = groupAt(n)
    const sealed = await next
    if (n + CHUNKS_PER_READ <= last) {
      // The next chunks are on their way while these are opened and sent.
      next = fetchGroup(n + CHUNKS_PER_READ)
      // A reader that stops here does not ask for them.
      next.catch(() => {})
    }
    let at = 0
    for (const [i, length] of group.entries()) {
      const start = (n + i) * CHUNK_BYTES
      const raw = await openChunk(sealed.subarray(at, at + length), { key, id: object_id, n: n + i })
      const isLast = n + i === lengths.length - 1
      const least = isLast ? Math.min(CHUNK_BYTES, (total ?? to) - start) : CHUNK_BYTES
      if (raw.length < least || (raw.length > least && total !== null))
        throw new ObjectDamaged(`chunk ${n + i} of object ${object_id} does not have its length`)
      at += length
      yield raw.subarray(Math.max(0, from - start), Math.min(raw.length, to - start))
    }
  }
}

/**
 * The raw bytes of a stored part from one offset to another, in order. `mayContinue` is asked before each further piece and now and
 * then within one. Throws `ObjectDamaged` before it yields a byte that was not stored.
 */
export async function* readPart(
  read: Read,
  readObject: ReadObject,
  part_no: number,
  from: number,
  to: number,
  mayContinue: () => Promise<boolean> = async () => true,
): AsyncGenerator<Buffer> {
  if (from >= to) return
  const pieces = await read(listPartPieces(part_no))
  let passed = from
  if (pieces.length === 0) {
    let start = 0
    for (const frame of await read(listPartFrames(part_no))) {
      const end = start + frame.raw_length
      if (end > from && start < to) {
        const raw = await rawFrameAsync(frame).catch((cause: unknown) => {
          throw new ObjectDamaged(`frame ${frame.n} of part ${part_no} cannot be unpacked`, { cause })
        })
        yield raw.subarray(Math.max(0, from - start), Math.min(raw.length, to - start))
        passed = Math.min(end, to)
      }
      start = end
    }
  }
  let sinceAsked = 0
  for (const piece of pieces) {
    const end = piece.start + piece.bytes
    if (end <= from || piece.start >= to) continue
    for await (const raw of pieceBytes(
      piece,
      Math.max(0, from - piece.start),
      Math.min(end, to) - piece.start,
      readObject,
    )) {
      if (sinceAsked >= BYTES_PER_CHECK) {
        if (!(await mayContinue())) throw new ObjectDamaged(`part ${part_no} may not be read any more`)
        sinceAsked = 0
      }
      sinceAsked += raw.length
      passed += raw.length
      yield raw
    }
  }
  if (passed < to) throw new ObjectDamaged(`part ${part_no} ends at byte ${passed}, before byte ${to}`)
}

/**
 * Compares the digest of a whole part with its name before the last of its bytes. A row that names an object of another part is not found by the
 * object, because chunks are sealed for their object. Throws `ObjectDamaged`.
 */
export async function* withDigest(
  raw: AsyncIterable<Buffer>,
  { sha256, bytes }: { readonly sha256: string; readonly bytes: number },
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  let passed = 0
  for await (const chunk of raw) {
    hash.update(chunk)
    passed += chunk.length
    if (passed >= bytes && hash.digest('hex') !== sha256)
      throw new ObjectDamaged(`the stored bytes of part ${sha256} have another digest`)
    yield chunk
  }
}

/** Bytes after which it is asked whether the reader may still have them. */
const BYTES_PER_CHECK = 1024 * 1024

/** Checks that every chunk of an object is the one that was sealed. Throws `ObjectDamaged`. */
export const checkObject = async (
  readObject: ReadObject,
  { object_id, place, key, lengths }: SealedObject,
): Promise<void> => {
  let offset = 0
  for (const [n, length] of lengths.entries()) {
    await openChunk(await readObject({ object_id, place }, offset, length), { key, id: object_id, n })
    offset += length
  }
}
