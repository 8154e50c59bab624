import { createReadStream } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { promisify } from 'node:util'
import { constants, createGunzip, gunzip, gunzipSync, gzip } from 'node:zlib'
import { withoutMark } from '../../interchange/read/decode.ts'
import { splitLines } from '../../interchange/read/lines.ts'
import type { RunFile } from './run-files.ts'
import { MAX_DOCUMENT_BYTES, type Outcome } from './target.ts'

export type NotImported = Extract<Outcome, { kind: 'refused' | 'failed' }>

/**
 * A run document of this service to send. `line` is null if the document is the whole file. `weight` is its share of the
 * bytes of all files, `bytes` its approximate size in memory.
 */
export type OwnDocument = {
  readonly line: number | null
  readonly weight: number
  readonly bytes: number
  readonly gzip: boolean
  readonly read: () => Promise<Uint8Array | NotImported>
}

/** Assumed ratio of a document's uncompressed size to its gzipped size. */
const GZIP_RATIO = 8

/** The documents of a file, one after the other. */
export const readDocuments = async function* (file: RunFile): AsyncGenerator<OwnDocument> {
  if (!file.lines) {
    yield {
      line: null,
      weight: file.size,
      bytes: file.size * (file.gzip ? GZIP_RATIO : 1),
      gzip: file.gzip,
      read: () => readWhole(file),
    }
    return
  }
  const source = createReadStream(file.path)
  // The callback ignores errors, because the loop below receives them as well.
  const bytes = file.gzip ? pipeline(source, createGunzip(), () => {}) : source
  let weighedBytes = 0
  for await (const { line, bytes: found } of splitLines(bytes, MAX_DOCUMENT_BYTES)) {
    yield {
      line,
      weight: source.bytesRead - weighedBytes,
      bytes: found?.length ?? 0,
      gzip: false,
      read: async () => found ?? TOO_LARGE,
    }
    weighedBytes = source.bytesRead
  }
}

const TOO_LARGE: NotImported = { kind: 'refused', status: 'refused', reason: `larger than ${MAX_DOCUMENT_BYTES} bytes` }

const readWhole = async (file: RunFile): Promise<Uint8Array | NotImported> => {
  // gzip makes a document smaller: a gzipped file over the limit is too large as well, and is not read.
  if (file.size > MAX_DOCUMENT_BYTES) return TOO_LARGE
  try {
    const bytes = await readFile(file.path)
    return file.gzip ? await withoutInnerMark(bytes) : withoutMark(bytes)
  } catch (error) {
    return unreadable(error)
  }
}

const [inflate, compress] = [promisify(gunzip), promisify(gzip)]

/** So many bytes of a gzip file show how its content begins. */
const SHOWN_BYTES = 1024

/** A gzipped document without a byte order mark in front of it. Throws for damaged data. */
const withoutInnerMark = async (bytes: Uint8Array): Promise<Uint8Array> => {
  const start = gunzipSync(bytes.subarray(0, SHOWN_BYTES), { finishFlush: constants.Z_SYNC_FLUSH })
  if (withoutMark(start).length === start.length) return bytes
  return compress(withoutMark(await inflate(bytes, { maxOutputLength: MAX_DOCUMENT_BYTES })))
}

export const unreadable = (error: unknown): NotImported => {
  const { code, message } = error as NodeJS.ErrnoException
  const isDamaged = code?.startsWith('Z_')
  return isDamaged
    ? { kind: 'refused', status: 'refused', reason: `not valid gzip data: ${message}` }
    : { kind: 'failed', status: 'failed', reason: message }
}

const FIRST_BYTES = 256

/** As this service and `ers` write a document. Every Eval Ever has a `schema_version` first as well, which is a text. */
const OWN_START = /^\s*\{\s*"(?:schema_version"\s*:\s*[^"\s]|run_id"\s*:)/

/**
 * Whether a file plainly begins like a run document of this service. If not, its content has to be read: it may be one
 * all the same.
 */
export const startsLikeOwn = async (file: RunFile): Promise<boolean> => {
  if (file.gzip) return false
  try {
    await using handle = await open(file.path, 'r')
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(FIRST_BYTES), 0, FIRST_BYTES, 0)
    return OWN_START.test(buffer.toString('latin1', 0, bytesRead))
  } catch {
    // Reported where it is read.
    return true
  }
}
