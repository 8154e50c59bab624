import { createHash, randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'

const LONGEST_NAME = 200

/**
 * The file name of an exported run, without a folder. Slashes are escaped, so it cannot leave its folder; a leading dot
 * too, as such files are hidden and an import of the folder would pass over them. Ids too long for a file system end in
 * a digest instead.
 */
export const exportFileName = (runId: string, gzip: boolean): string => {
  const escaped = encodeURIComponent(runId).replace(/^\./, '%2E')
  const name =
    escaped.length <= LONGEST_NAME
      ? escaped
      : `${escaped.slice(0, LONGEST_NAME - 33)}~${createHash('sha256').update(runId).digest('hex').slice(0, 32)}`
  return `${name}.json${gzip ? '.gz' : ''}`
}

export type Copy = {
  readonly gzip: boolean
  /** How many bytes must come, null when that is not known. */
  readonly length: number | null
  readonly signal: AbortSignal
}

/** The body ended before or after the length it announced. */
export class WrongLength extends Error {
  override readonly name = 'WrongLength'
}

/**
 * Writes the whole of `body` to `path`, or nothing: the bytes go to a hidden file beside it, which takes the name once
 * it is complete and on disk.
 */
export const writeWhole = async (body: AsyncIterable<Uint8Array>, path: string, copy: Copy): Promise<void> => {
  const part = join(dirname(path), `.${basename(path).slice(0, LONGEST_NAME)}.${randomBytes(6).toString('hex')}.part`)
  try {
    await copyTo(body, createWriteStream(part, { flags: 'wx', flush: true }), copy)
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}

/** Copies `body` to a stream, gzipped when asked, and throws `WrongLength` when it is not as long as it should be. */
export const copyTo = async (
  body: AsyncIterable<Uint8Array>,
  output: NodeJS.WritableStream,
  { gzip, length, signal }: Copy,
): Promise<void> => {
  const checked = lengthCheck(length)
  // Standard output must stay open for whoever prints after this.
  const options = { signal, end: output !== process.stdout }
  await (gzip ? pipeline(body, checked, createGzip(), output, options) : pipeline(body, checked, output, options))
}

const lengthCheck = (length: number | null): Transform => {
  let seen = 0
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      seen += chunk.length
      done(null, chunk)
    },
    flush(done) {
      done(length === null || seen === length ? null : new WrongLength(`${seen} bytes came instead of ${length}`))
    },
  })
}
