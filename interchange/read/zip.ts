import { Readable } from 'node:stream'
import { RandomAccessReader, fromRandomAccessReaderPromise } from 'yauzl'
import type { Entry, ZipFile } from 'yauzl'
import { SourceRefused } from '../document/source-refused.ts'
import type { SourceFile } from './source-file.ts'

const MAX_ENTRIES = 200_000

/** An open archive. An entry that is in it twice appears once: the last one counts, as tools append a newer one. */
export type Zip = { readonly file: ZipFile; readonly entries: ReadonlyMap<string, Entry> }

/**
 * Reads the directory of an archive. Throws `SourceRefused` if it is damaged or cut off, has more than 200,000 entries, or
 * names that lead out of a folder.
 */
export const openZip = async (file: SourceFile): Promise<Zip> => {
  try {
    const zip = await fromRandomAccessReaderPromise(new PartReader(file), file.size, {
      lazyEntries: true,
      autoClose: false,
    })
    if (zip.entryCount > MAX_ENTRIES) throw new SourceRefused(`has more than ${MAX_ENTRIES} entries`)
    const entries = new Map<string, Entry>()
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry)
    return { file: zip, entries }
  } catch (error) {
    if (error instanceof SourceRefused || isSystemError(error)) throw error
    throw new SourceRefused(`damaged or cut-off zip archive: ${(error as Error).message}`, { cause: error })
  }
}

export const zipEntryNames = async (file: SourceFile): Promise<readonly string[]> => [
  ...(await openZip(file)).entries.keys(),
]

/** An error of the disk, such as EIO, is no fault of the archive. */
const isSystemError = (error: unknown) => (error as NodeJS.ErrnoException).syscall !== undefined

/** Reads an archive in parts, from disk or from memory. */
class PartReader extends RandomAccessReader {
  readonly #file: SourceFile

  constructor(file: SourceFile) {
    super()
    this.#file = file
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (err: Error | null) => void,
  ): void {
    this.#file.readAt(position, length).then((bytes) => {
      if (bytes.length < length) return callback(new Error('unexpected end of the archive'))
      buffer.set(bytes, offset)
      callback(null)
    }, callback)
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const file = this.#file
    return Readable.from(
      (async function* () {
        for (let at = start; at < end; at += STREAM_BYTES) yield await file.readAt(at, Math.min(STREAM_BYTES, end - at))
      })(),
    )
  }
}

const STREAM_BYTES = 256 * 1024
