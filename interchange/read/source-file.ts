import { closeSync, createReadStream, openSync, readSync, type Stats } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable, pipeline } from 'node:stream'
import { createGunzip, gunzipSync } from 'node:zlib'
import { SourceRefused } from '../document/source-refused.ts'

/** A file of another tool, on disk or in memory. */
export type SourceFile = {
  /** As people see it: a path, or the name of an uploaded file. */
  readonly path: string
  /** The last part of the path, without `.gz`. */
  readonly name: string
  /** The size as it is stored. */
  readonly size: number
  /** Null for a file without a time. */
  readonly mtimeMs: number | null
  /** The bytes, without gzip. */
  readonly bytes: () => AsyncIterable<Uint8Array>
  /** Reads a part of a file that is not gzipped. Fewer bytes arrive only at its end. */
  readonly readAt: (offset: number, length: number) => Promise<Uint8Array>
  /** The path on disk, without which a database cannot be opened; null for a file in memory or with gzip. */
  readonly diskPath: string | null
  /** Where the bytes of a file in memory are on disk as they came, alone in their folder. Absent: nowhere. */
  readonly originalPath?: string | null
  /** Counts bytes that are unpacked of an archive. Throws `SourceRefused` beyond the limit of the file. Absent: no limit. */
  readonly countUnpacked?: (bytes: number) => void
}

/** The files of one folder, by name, without `.gz`. */
export type Folder = {
  readonly path: string
  readonly files: ReadonlyMap<string, SourceFile>
  readonly scope: ImportScope
}

/** What the folders of one import share. */
export type ImportScope = {
  /** A tool may write what belongs together into several folders. */
  readonly folders: readonly Folder[]
  /** Temporary files of importers. Its owner disposes of it after the import. */
  readonly temporary: DisposableStack
}

export const newImportScope = (): ImportScope => ({ folders: [], temporary: new DisposableStack() })

/** A folder, which is added to a scope. */
export const folderOf = (path: string, files: readonly SourceFile[], scope = newImportScope()): Folder => {
  const folder = { path, files: new Map(files.map((file) => [file.name, file])), scope }
  ;(scope.folders as Folder[]).push(folder)
  return folder
}

/** An error of the operating system concerns one file; any other is a fault of the program. */
export const isOfFile = (error: unknown): error is Error => (error as NodeJS.ErrnoException).syscall !== undefined

export const GZIP_MAGIC = [0x1f, 0x8b]
const CHUNK_BYTES = 256 * 1024

const isGzip = (head: Uint8Array) => head[0] === GZIP_MAGIC[0] && head[1] === GZIP_MAGIC[1]

/** Files up to this size are read whole, once, and at once: several asynchronous reads take longer than the import. */
const MAX_SMALL_BYTES = 256 * 1024

/** The small file that was read last. All reads of one file follow each other. */
let lastSmall: { readonly of: object; readonly content: Buffer } | null = null

const readSmall = (of: object, path: string, size: number): Buffer => {
  if (lastSmall?.of === of) return lastSmall.content
  const file = openSync(path, 'r')
  try {
    const content = Buffer.allocUnsafeSlow(size)
    let filled = 0
    for (let count = -1; count !== 0 && filled < size; filled += count)
      count = readSync(file, content, filled, size - filled, filled)
    lastSmall = { of, content: content.subarray(0, filled) }
    return lastSmall.content
  } finally {
    closeSync(file)
  }
}

/** All bytes of a file. Throws `SourceRefused`, with the reason, if they are more than the limit. */
export const wholeFile = async (file: SourceFile, limit: number, reason: string): Promise<Buffer> => {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const chunk of file.bytes()) {
    length += chunk.length
    if (length > limit) throw new SourceRefused(reason)
    parts.push(chunk)
  }
  return Buffer.concat(parts, length)
}

/** A file on disk. `.gz` in the name or not: the first bytes show whether it is gzipped. */
export const fileOnDisk = (path: string, { size, mtimeMs }: Pick<Stats, 'size' | 'mtimeMs'>): SourceFile =>
  new DiskFile(path, size, mtimeMs)

/** A class, because a folder can have millions of files: the functions of each would take most of the memory. */
class DiskFile implements SourceFile {
  readonly path: string
  readonly size: number
  readonly mtimeMs: number

  constructor(path: string, size: number, mtimeMs: number) {
    this.path = path
    this.size = size
    this.mtimeMs = mtimeMs
  }

  get name(): string {
    return plainName(this.path)
  }

  get diskPath(): string {
    return this.path
  }

  async readAt(offset: number, length: number): Promise<Uint8Array> {
    if (this.size <= MAX_SMALL_BYTES) return readSmall(this, this.path, this.size).subarray(offset, offset + length)
    await using handle = await open(this.path, 'r')
    const buffer = Buffer.allocUnsafe(length)
    let filled = 0
    while (filled < length) {
      const { bytesRead } = await handle.read(buffer, filled, length - filled, offset + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return buffer.subarray(0, filled)
  }

  async *bytes(): AsyncGenerator<Uint8Array> {
    const content = this.size <= MAX_SMALL_BYTES ? readSmall(this, this.path, this.size) : null
    if (content !== null && !isGzip(content)) {
      yield content
      return
    }
    const isPacked = isGzip(content ?? (await this.readAt(0, 2)))
    // Opened last: an error of a stream that nothing reads yet would end the process.
    const source = content ? Readable.from([content]) : createReadStream(this.path, { highWaterMark: CHUNK_BYTES })
    try {
      // The callback ignores errors, because the loop receives them as well.
      yield* isPacked ? pipeline(source, createGunzip(), () => {}) : source
    } catch (error) {
      throw asRefusal(error)
    } finally {
      source.destroy()
    }
  }
}

/** Maximum bytes that are unpacked of an archive in memory, however often its members are read. */
const MAX_UNPACKED_BYTES = 2 * 1024 * 1024 * 1024

/** A file in memory, such as the body of a request. */
export const fileInMemory = (
  name: string,
  content: Uint8Array,
  {
    maxUnpackedBytes = MAX_UNPACKED_BYTES,
    originalPath = null,
  }: { readonly maxUnpackedBytes?: number; readonly originalPath?: string | null } = {},
): SourceFile => {
  let unpackedBytes = 0
  // Unpacked when it is first read, so that damaged gzip is the fault of the file that is read.
  let unpacked: Uint8Array | null = null
  const plain = () => (unpacked ??= isGzip(content) ? gunzipped(content) : content)
  return {
    path: name,
    name: plainName(name),
    size: content.length,
    mtimeMs: null,
    readAt: async (offset, length) => plain().subarray(offset, offset + length),
    diskPath: null,
    originalPath,
    countUnpacked: (bytes) => {
      unpackedBytes += bytes
      if (unpackedBytes > maxUnpackedBytes)
        throw new SourceRefused(`unpacks to more than ${maxUnpackedBytes} bytes: use the command ers import`)
    },
    bytes: async function* () {
      const bytes = plain()
      for (let offset = 0; offset < bytes.length; offset += CHUNK_BYTES)
        yield bytes.subarray(offset, offset + CHUNK_BYTES)
    },
  }
}

/** Maximum bytes of a gzipped file in memory after it is unpacked. */
const MAX_MEMORY_BYTES = 64 * 1024 * 1024

const gunzipped = (content: Uint8Array): Uint8Array => {
  try {
    return gunzipSync(content, { maxOutputLength: MAX_MEMORY_BYTES })
  } catch (error) {
    throw asRefusal(error)
  }
}

const plainName = (path: string) => basename(path).replace(/\.gz$/i, '')

const asRefusal = (error: unknown): unknown => {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ERR_BUFFER_TOO_LARGE') return new SourceRefused(`unpacks to more than ${MAX_MEMORY_BYTES} bytes`)
  return code?.startsWith('Z_') ? new SourceRefused(`not valid gzip data: ${message}`, { cause: error }) : error
}
