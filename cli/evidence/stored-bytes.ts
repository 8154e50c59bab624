import { createHash } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { InvalidManifest, partsOf, readManifest } from '../../domain/evidence/manifest.ts'
import { UserError } from '../../maintenance/user-error.ts'

/** Bytes of a file on disk, from an offset on: a whole file, or what a zip archive stores. */
export type StoredBytes = { readonly path: string; readonly offset: number; readonly bytes: number }

/** The SHA-256 of stored bytes in hex. */
export const digestOfBytes = async ({ path, offset, bytes }: StoredBytes): Promise<string> => {
  const hash = createHash('sha256')
  if (bytes > 0)
    for await (const chunk of createReadStream(path, { start: offset, end: offset + bytes - 1 }))
      hash.update(chunk as Uint8Array)
  return hash.digest('hex')
}

/** Bytes of a document or a manifest, and of the list of all files of an exported run. */
const MAX_STORED_BYTES = 64 * 1024 * 1024
export const MAX_LIST_BYTES = 128 * 1024 * 1024

/**
 * Bytes that fit into memory. Throws `UserError` beyond `maxBytes`: what an archive says of its members may be anything. Not as a blob of the file: Node takes the size of a file of 4 GiB or more modulo 4 GiB. Throws
 * if the file has fewer.
 */
export const readStored = async (
  { path, offset, bytes }: StoredBytes,
  maxBytes = MAX_STORED_BYTES,
): Promise<Buffer<ArrayBuffer>> => {
  if (bytes > maxBytes) throw new UserError(`${path} has a file of ${bytes} bytes where at most ${maxBytes} are read`)
  const read = Buffer.alloc(bytes)
  await using file = await open(path)
  for (let filled = 0; filled < bytes;) {
    const { bytesRead } = await file.read(read, filled, bytes - filled, offset + filled)
    if (bytesRead === 0) throw new Error('it has become shorter')
    filled += bytesRead
  }
  return read
}

/** The SHA-256 of a file in hex. */
export const digestOfFile = (path: string): Promise<string> => digestOfBytes(wholeFile(path))

/** All bytes of a file. */
export const wholeFile = (path: string): StoredBytes => ({ path, offset: 0, bytes: statSync(path).size })

/** The parts of a manifest in a file. Throws `UserError`. */
export const readManifestFile = async (path: string): Promise<ReadonlyMap<string, number>> =>
  manifestParts(wholeFile(path), path)

/** The same of stored bytes, which `path` names. */
export const manifestParts = async (stored: StoredBytes, path: string): Promise<ReadonlyMap<string, number>> => {
  const bytes = await readStored(stored)
  try {
    return partsOf(readManifest(bytes))
  } catch (error) {
    if (!(error instanceof InvalidManifest)) throw error
    throw new UserError(`${path} is no manifest: ${error.message}`, { cause: error })
  }
}
