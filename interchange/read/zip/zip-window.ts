import { Readable } from 'node:stream'
import { RandomAccessReader } from 'yauzl'
import { SourceRefused } from '../../document/source-refused.ts'
import { type SourceFile, wholeFile } from '../source-file.ts'

/** The bytes of an archive. The part that was read last is in memory, since neighbours are read next. */
export type Window = {
  readonly size: number
  /** Reads exactly this number of bytes. Throws `SourceRefused` if the archive ends before. */
  readonly read: (offset: number, length: number) => Promise<Buffer>
  /** The same, where the bytes that follow are not wanted: none is read ahead. */
  readonly readAlone: (offset: number, length: number) => Promise<Buffer>
  readonly close: () => void
}

/** How much is read at once. A small archive is read whole. */
const WINDOW_BYTES = 256 * 1024

/** The largest archive inside gzip: it has to be unpacked into memory. */
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024
const TOO_LARGE = `an archive inside gzip of more than ${MAX_UNPACKED_BYTES} bytes: unpack it with gunzip`

/** Throws `SourceRefused` for a gzipped archive that is too large. Other files are read in parts. */
export const windowOf = async (file: SourceFile): Promise<Window> => {
  const head = await file.readAt(0, 2)
  const isInMemory = file.diskPath === null || (head[0] === 0x1f && head[1] === 0x8b)
  const whole = isInMemory ? await wholeFile(file, MAX_UNPACKED_BYTES, TOO_LARGE) : null
  const size = whole?.length ?? file.size
  let start = 0
  let loaded: Buffer = whole ?? Buffer.alloc(0)
  const load = async (offset: number, length: number) => {
    const bytes = await file.readAt(offset, Math.min(Math.max(length, WINDOW_BYTES), size - offset))
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }
  const check = (offset: number, length: number): void => {
    if (offset < 0 || offset + length > size) throw new SourceRefused('damaged or cut-off zip archive: it ends early')
  }
  return {
    size,
    readAlone: async (offset, length) => {
      check(offset, length)
      if (offset >= start && offset + length <= start + loaded.length)
        return loaded.subarray(offset - start, offset - start + length)
      const bytes = await file.readAt(offset, length)
      if (bytes.length < length) throw new SourceRefused('the archive became shorter while it was read')
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    },
    read: async (offset, length) => {
      check(offset, length)
      if (offset < start || offset + length > start + loaded.length) {
        start = size <= WINDOW_BYTES ? 0 : offset
        loaded = await load(start, size <= WINDOW_BYTES ? size : length)
        if (offset + length > start + loaded.length)
          throw new SourceRefused('the archive became shorter while it was read')
      }
      return loaded.subarray(offset - start, offset - start + length)
    },
    close: () => {
      loaded = Buffer.alloc(0)
      start = size
    },
  }
}

/** What the library reads a directory with. */
export const partReader = (window: Window): RandomAccessReader => new PartReader(window)

class PartReader extends RandomAccessReader {
  readonly #window: Window

  constructor(window: Window) {
    super()
    this.#window = window
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (err: Error | null) => void,
  ): void {
    this.#window.read(position, length).then((bytes) => {
      buffer.set(bytes, offset)
      callback(null)
    }, callback)
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const window = this.#window
    return Readable.from(
      (async function* () {
        yield await window.read(start, end - start)
      })(),
    )
  }
}
