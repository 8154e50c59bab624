import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { FRAME_BYTES, framesAround, listFrames, rawFrame, rawFrameAsync } from '../../storage/documents/frames.ts'
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

/** Reads ranges of raw bytes of documents. Caches recently used frames, unpacked. */
export type DocumentReader = { readonly slice: (run_no: number, offset: number, length: number) => Promise<Buffer> }

/**
 * `maxFrames` limits the unpacked frames in memory, 256 KiB each. The `fetch` method of `lru-cache` does not fit: it
 * rejects a read whose frame is evicted before the read ends.
 */
export const documentReader = (reader: Reader, maxFrames = 32): DocumentReader => {
  const frames = new LRUCache<string, Buffer>({ max: maxFrames })

  const readFrame = async (run_no: number, n: number): Promise<Buffer> => {
    const key = `${run_no}/${n}`
    const cached = frames.get(key)
    if (cached) return cached
    const [frame] = await reader.read(listFrames(run_no, n, n))
    if (!frame) throw await missingBytes(reader, run_no, `document ${run_no} has no frame ${n}`)
    const raw = rawFrame(frame)
    frames.set(key, raw)
    return raw
  }

  return {
    slice: async (run_no, offset, length) => {
      const { from, to } = framesAround(offset, length)
      const parts: Buffer[] = []
      for (let n = from; n <= to; n++) parts.push(await readFrame(run_no, n))
      const joined = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
      const start = offset - from * FRAME_BYTES
      if (joined.length < start + length)
        throw await missingBytes(reader, run_no, `document ${run_no} ends before byte ${offset + length}`)
      return joined.subarray(start, start + length)
    },
  }
}

type StoredDocument = Pick<Run, 'run_no' | 'document_bytes' | 'document_sha256'>

/**
 * The whole document in order, one raw frame at a time. `mayContinue` is called before each further query, because a
 * slow client may take hours to receive one document. Throws `DocumentDeleted` if that returns false or the run is
 * deleted meanwhile. Throws `DocumentDamaged` if the document differs from what was recorded. The last frame is yielded
 * after this check, so that no client receives an altered document completely.
 */
export async function* exportDocument(
  reader: Reader,
  { run_no, document_bytes, document_sha256 }: StoredDocument,
  mayContinue = async (): Promise<boolean> => true,
): AsyncGenerator<Buffer> {
  const total = Math.max(1, Math.ceil(document_bytes / FRAME_BYTES))
  const digest = createHash('sha256')
  let sent = 0
  let last: Buffer | null = null
  for (let n = 0; n < total; n += FRAMES_PER_QUERY) {
    if (n > 0 && !(await mayContinue())) throw new DocumentDeleted('the document may not be read any more')
    const frames = await reader.read(listFrames(run_no, n, Math.min(n + FRAMES_PER_QUERY, total) - 1))
    for (const frame of frames) {
      // Unpacked outside of this thread: many concurrent exports must not block other requests.
      const raw = await rawFrameAsync(frame)
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

/** A document that is deleted while it is read counts as not found. */
export const deletedAsNull = (error: unknown): null => {
  if (error instanceof DocumentDeleted) return null
  throw error
}
