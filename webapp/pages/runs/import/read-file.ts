import { readDocument } from './read-document.ts'
import type { Contents, Unreadable } from './read-document.ts'

/** The limit of the server for one document, uncompressed, in bytes. */
export const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024

/** What a file holds, and its size without compression in bytes. */
export type FileContents = { readonly bytes: number; readonly contents: Contents | Unreadable }

const TOO_LARGE: Unreadable = { reason: 'holds more than 64 MiB, the limit for one document.' }

/** Returns the beginning of the unpacked file, at most one byte beyond the limit. Throws if it cannot be unpacked. */
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

/** Reads what a file holds, `.json` or gzip, whatever its name. */
export const readFile = async (file: Blob): Promise<FileContents & { readonly isCompressed: boolean }> => {
  const [first = 0, second = 0] = new Uint8Array(await file.slice(0, 2).arrayBuffer())
  const isCompressed = first === 0x1f && second === 0x8b
  const [bytes, contents] = await contentsOf(file, isCompressed, first === 0x50 && second === 0x4b)
  return { bytes, contents, isCompressed }
}

const contentsOf = async (
  file: Blob,
  isCompressed: boolean,
  isZip: boolean,
): Promise<readonly [number, Contents | Unreadable]> => {
  if (isZip) return [file.size, { reason: 'is a zip archive. Unpack it and choose the run documents in it.' }]
  const whole = await unpacked(file, isCompressed).catch(() => null)
  if (!whole) return [file.size, { reason: 'is compressed with gzip, but damaged.' }]
  if (whole.size > MAX_DOCUMENT_BYTES) return [whole.size, TOO_LARGE]
  return [whole.size, readDocument(await whole.text())]
}
