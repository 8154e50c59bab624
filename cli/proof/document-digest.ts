import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { GivenDocument } from '../../domain/proof/check.ts'
import { ProofFailed } from '../../domain/proof/failed.ts'
import { cannotRead } from './trust.ts'

const GZIP = Buffer.of(0x1f, 0x8b)

/** Whether a file begins as gzip does. Its name says nothing: downloads lose or gain `.gz`. */
const isGzip = async (path: string): Promise<boolean> => {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(GZIP.length), 0, GZIP.length, 0)
    return bytesRead === GZIP.length && buffer.equals(GZIP)
  } finally {
    await file.close()
  }
}

/**
 * Length and SHA-256 of the content of a stream in constant memory, decompressed if it is gzip. Several gzip members follow
 * each other as RFC 1952 allows, but nothing else may. Throws `ProofFailed` 10 if the gzip is damaged.
 */
export const digestOfContent = async (source: Readable, name: string, gzipped: boolean): Promise<GivenDocument> => {
  const digest = createHash('sha256')
  let bytes = 0
  const count = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of chunks) {
      digest.update(chunk)
      bytes += chunk.length
    }
  }
  if (gzipped) {
    let compressed = 0
    const gunzip = createGunzip()
    const measured = async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        compressed += chunk.length
        yield chunk
      }
    }
    try {
      await pipeline(source, measured, gunzip, count)
    } catch (error) {
      const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
      if (code?.startsWith('Z_') === true) throw damaged(name)
      throw error
    }
    // zlib ignores zeros behind the end, which other readers do not.
    if (gunzip.bytesWritten !== compressed) throw damaged(name)
  } else await pipeline(source, count)
  return { bytes, sha256: digest.digest('hex') }
}

const damaged = (name: string): ProofFailed =>
  new ProofFailed(10, `${name} begins as gzip does, but it is damaged, or something follows its end`)

/**
 * Length and SHA-256 of a document, decompressed if it is gzip. Throws `UserError` if it cannot be read, `ProofFailed` 10 if
 * it is damaged gzip.
 */
export const digestOfDocument = async (path: string): Promise<GivenDocument> => {
  try {
    return await digestOfContent(createReadStream(path), path, await isGzip(path))
  } catch (error) {
    if (error instanceof ProofFailed) throw error
    throw cannotRead(path, error)
  }
}
