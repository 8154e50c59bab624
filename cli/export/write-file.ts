import { createHash, randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { PassThrough, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { printableLines } from '../../domain/text/printable.ts'

const MAX_NAME_LENGTH = 200

/**
 * Returns the file name of an exported run, without a folder. Slashes are escaped, so that the file stays in its
 * folder. A leading dot is escaped too, because an import of the folder skips hidden files. If an id is too long for a
 * file system, it is cut and a digest is appended.
 */
export const exportFileName = (runId: string, gzip: boolean): string => runFileName(runId, `.json${gzip ? '.gz' : ''}`)

/** The same for a file about a run with another ending. */
export const runFileName = (runId: string, ending: string): string => {
  const escaped = encodeURIComponent(runId).replace(/^\./, '%2E')
  const name =
    escaped.length <= MAX_NAME_LENGTH
      ? escaped
      : `${escaped.slice(0, MAX_NAME_LENGTH - 33)}~${createHash('sha256').update(runId).digest('hex').slice(0, 32)}`
  return `${name}${ending}`
}

type Body = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

export type Copy = {
  readonly gzip: boolean
  /** The expected number of bytes; null if unknown. */
  readonly length: number | null
  readonly signal: AbortSignal
  /** The permissions of the file; those that the umask leaves if there are none. */
  readonly mode?: number
}

/** The body is shorter or longer than announced. */
export class WrongLength extends Error {
  override readonly name = 'WrongLength'
}

/**
 * Writes the whole `body` to `path`, or nothing. The bytes are written to a hidden file in the same folder. It is
 * renamed when it is complete and on disk.
 */
export const writeWhole = async (body: Body, path: string, copy: Copy): Promise<void> => {
  const part = join(
    dirname(path),
    `.${basename(path).slice(0, MAX_NAME_LENGTH)}.${randomBytes(6).toString('hex')}.part`,
  )
  try {
    await copyTo(body, createWriteStream(part, { flags: 'wx', flush: true, mode: copy.mode ?? 0o666 }), copy)
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}

/**
 * Copies `body` to a stream, gzipped if requested. `changed` is applied to what is written. Throws `WrongLength` if the body
 * does not have the expected length.
 */
export const copyTo = async (
  body: Body,
  output: NodeJS.WritableStream,
  { gzip, length, signal }: Copy,
  changed: Transform | null = null,
): Promise<void> => {
  const checked = lengthCheck(length)
  const between = changed ?? (gzip ? createGzip() : new PassThrough())
  // Standard output must stay open for later output.
  await pipeline(body, checked, between, output, { signal, end: output !== process.stdout })
}

/** Escapes the control characters of a text that passes through it. */
export const printableText = (): Transform => {
  const decoder = new TextDecoder()
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      done(null, printableLines(decoder.decode(chunk, { stream: true })))
    },
    flush(done) {
      done(null, printableLines(decoder.decode()))
    },
  })
}

const lengthCheck = (length: number | null): Transform => {
  let seen = 0
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      seen += chunk.length
      done(null, chunk)
    },
    flush(done) {
      done(length === null || seen === length ? null : new WrongLength(`${seen} bytes received instead of ${length}`))
    },
  })
}
