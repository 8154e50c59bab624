import { readDocument, type Contents, type Unreadable } from './read-document.ts'

/**
 * A file that is no run document. `isForServer`: it may be a file of another tool that the server can read. `isForCommand`:
 * only `ers import` can read it.
 */
export type NotADocument = Unreadable & { readonly isForServer: boolean; readonly isForCommand: boolean }

/** The limit of the server for one document, uncompressed, in bytes. */
export const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024

/** What a file holds, and its size in bytes: without compression, as far as it was unpacked. */
export type FileContents = { readonly bytes: number; readonly contents: Contents | NotADocument }

const TOO_LARGE: NotADocument = {
  reason: 'holds more than 64 MiB, the limit here.',
  isForServer: false,
  isForCommand: true,
}
const DATABASE: NotADocument = {
  reason: 'is a database, which is not imported over HTTP.',
  isForServer: false,
  isForCommand: true,
}

/** Returns the file, unpacked until it is larger than the limit. Throws if it cannot be unpacked. */
const unpacked = async (file: Blob, isCompressed: boolean): Promise<Blob> => {
  if (!isCompressed) return file
  const reader = file.stream().pipeThrough(new DecompressionStream('gzip')).getReader()
  const parts: Uint8Array<ArrayBuffer>[] = []
  for (let bytes = 0; bytes <= MAX_DOCUMENT_BYTES;) {
    const { done, value } = await reader.read()
    if (done) return new Blob(parts)
    parts.push(value)
    bytes += value.length
  }
  await reader.cancel()
  return new Blob(parts)
}

const SQLITE = 'SQLite format 3\u0000'

/** Reads what a file holds, whatever its name. Only run documents are read here; others are left to the server. */
export const readFile = async (file: Blob): Promise<FileContents & { readonly isCompressed: boolean }> => {
  const head = new Uint8Array(await file.slice(0, SQLITE.length).arrayBuffer())
  const isCompressed = head[0] === 0x1f && head[1] === 0x8b
  const isDatabase = String.fromCharCode(...head) === SQLITE
  const [bytes, contents] = isDatabase ? [file.size, DATABASE] : await contentsOf(file, isCompressed)
  return { bytes, contents, isCompressed }
}

const contentsOf = async (file: Blob, isCompressed: boolean): Promise<readonly [number, Contents | NotADocument]> => {
  const whole = await unpacked(file, isCompressed).catch(() => null)
  if (!whole)
    return [file.size, { reason: 'is compressed with gzip, but damaged.', isForServer: false, isForCommand: false }]
  if (whole.size > MAX_DOCUMENT_BYTES) return [whole.size, TOO_LARGE]
  const contents = readDocument(await whole.text())
  return [
    whole.size,
    'run_id' in contents ? contents : { ...contents, isForServer: whole.size > 0, isForCommand: false },
  ]
}
