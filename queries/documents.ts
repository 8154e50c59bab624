import { LRUCache } from 'lru-cache'
import { FRAME_BYTES, framesAround, listFrames, rawFrame, rawFrameBeside } from '../storage/document-frames.ts'
import type { Reader } from '../storage/storage.ts'
import type { Run } from './runs.ts'

/** Frames that an export reads per query: no read transaction lives across a network write. */
const FRAMES_A_QUERY = 4

/** The document went while it was being read: its run was deleted. */
export class DocumentGone extends Error {
  override readonly name = 'DocumentGone'
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
    if (!frame) throw new DocumentGone(`document ${run_no} has no frame ${n}`)
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
      if (joined.length < start + length) throw new DocumentGone(`document ${run_no} ends before byte ${offset + length}`)
      return joined.subarray(start, start + length)
    },
  }
}

/** The whole document in order, one raw frame at a time. Throws `DocumentGone` when it ends early. */
export async function* exportDocument(reader: Reader, { run_no, document_bytes }: Pick<Run, 'run_no' | 'document_bytes'>): AsyncGenerator<Buffer> {
  const total = Math.max(1, Math.ceil(document_bytes / FRAME_BYTES))
  let sent = 0
  for (let n = 0; n < total; n += FRAMES_A_QUERY) {
    const frames = await reader.read(listFrames(run_no, n, Math.min(n + FRAMES_A_QUERY, total) - 1))
    for (const frame of frames) {
      // Unpacked beside this thread: many exports at once must not hold up everyone else.
      const raw = await rawFrameBeside(frame)
      sent += raw.length
      yield raw
    }
  }
  if (sent !== document_bytes) throw new DocumentGone(`document ${run_no} went while it was being read`)
}

/** A document that goes while it is read is one that is not there. */
export const goneAsNull = (error: unknown): null => {
  if (error instanceof DocumentGone) return null
  throw error
}
