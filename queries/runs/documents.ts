import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { FRAME_BYTES, framesAround, listFrames, rawFrame, rawFrameAsync } from '../../storage/documents/frames.ts'
import { maybeOne, sql } from '../../storage/sql.ts'
import type { Reader } from '../../storage/storage.ts'
import type { Run } from './run.ts'

/** Frames that an export reads per query: no read transaction lives across a network write. */
const FRAMES_A_QUERY = 4

/** The document went while it was being read: its run was deleted. */
class DocumentDeleted extends Error {
  override readonly name = 'DocumentGone'
}

/** A document is not as it was recorded, though its run is there: the store is damaged. */
class DocumentDamaged extends Error {
  override readonly name = 'DocumentDamaged'
}

const RunNo = z.object({ run_no: z.number() })

/** Why bytes are not there: a deletion takes the run together with its document. */
const lost = async (reader: Reader, run_no: number, message: string): Promise<Error> => {
  const run = await reader.read(maybeOne(sql.type(RunNo)`SELECT run_no FROM runs WHERE run_no = ${run_no}`))
  return run ? new DocumentDamaged(message) : new DocumentDeleted(message)
}

/** Reads ranges of raw bytes out of documents, keeping the frames it has unpacked last. */
export type DocumentReader = { readonly slice: (run_no: number, offset: number, length: number) => Promise<Buffer> }

/** `kept` bounds the unpacked frames in memory, 256 KiB each. */
export const documentReader = (reader: Reader, kept = 32): DocumentReader => {
  const frames = new LRUCache<string, Buffer>({ max: kept })

  const frameOf = async (run_no: number, n: number): Promise<Buffer> => {
    const key = `${run_no}/${n}`
    const known = frames.get(key)
    if (known) return known
    const [frame] = await reader.read(listFrames(run_no, n, n))
    if (!frame) throw await lost(reader, run_no, `document ${run_no} has no frame ${n}`)
    const raw = rawFrame(frame)
    frames.set(key, raw)
    return raw
  }

  return {
    slice: async (run_no, offset, length) => {
      const { from, to } = framesAround(offset, length)
      const parts: Buffer[] = []
      for (let n = from; n <= to; n++) parts.push(await frameOf(run_no, n))
      const joined = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
      const start = offset - from * FRAME_BYTES
      if (joined.length < start + length)
        throw await lost(reader, run_no, `document ${run_no} ends before byte ${offset + length}`)
      return joined.subarray(start, start + length)
    },
  }
}

type Stored = Pick<Run, 'run_no' | 'document_bytes' | 'document_sha256'>

/**
 * The whole document in order, one raw frame at a time. `mayGoOn` is asked before more of it is read: a slow client
 * takes hours for one. Throws `DocumentDeleted` when its run is deleted meanwhile or that answers false, `DocumentDamaged`
 * when it is not what was recorded: the last frame is held back until that is known, so that no altered document is
 * whole.
 */
export async function* exportDocument(
  reader: Reader,
  { run_no, document_bytes, document_sha256 }: Stored,
  mayGoOn = async (): Promise<boolean> => true,
): AsyncGenerator<Buffer> {
  const total = Math.max(1, Math.ceil(document_bytes / FRAME_BYTES))
  const digest = createHash('sha256')
  let sent = 0
  let last: Buffer | null = null
  for (let n = 0; n < total; n += FRAMES_A_QUERY) {
    if (n > 0 && !(await mayGoOn())) throw new DocumentDeleted('the document may not be read any more')
    const frames = await reader.read(listFrames(run_no, n, Math.min(n + FRAMES_A_QUERY, total) - 1))
    for (const frame of frames) {
      // Unpacked beside this thread: many exports at once must not hold up everyone else.
      const raw = await rawFrameAsync(frame)
      if (last) yield last
      sent += raw.length
      digest.update(raw)
      last = raw
    }
  }
  if (sent !== document_bytes)
    throw await lost(reader, run_no, `document ${run_no} holds ${sent} of ${document_bytes} bytes`)
  if (digest.digest('hex') !== document_sha256)
    throw new DocumentDamaged(`document ${run_no} does not have the digest that was recorded`)
  if (last) yield last
}

/** A document that goes while it is read is one that is not there. */
export const deletedAsNull = (error: unknown): null => {
  if (error instanceof DocumentDeleted) return null
  throw error
}
