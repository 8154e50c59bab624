import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
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
 * Length and SHA-256 of a document, decompressed if it is gzip, in constant memory. Throws `UserError` if it cannot be
 * read, `ProofFailed` 10 if it is damaged gzip.
 */
export const digestOfDocument = async (path: string): Promise<GivenDocument> => {
  const digest = createHash('sha256')
  let bytes = 0
  const count = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of chunks) {
      digest.update(chunk)
      bytes += chunk.length
    }
  }
  try {
    if (await isGzip(path)) await pipeline(createReadStream(path), createGunzip(), count)
    else await pipeline(createReadStream(path), count)
  } catch (error) {
    const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
    if (code?.startsWith('Z_') === true) throw new ProofFailed(10, `${path} begins as gzip does, but it is damaged`)
    throw cannotRead(path, error)
  }
  return { bytes, sha256: digest.digest('hex') }
}
