import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { longerDocument, type GivenDocument } from '../../domain/proof/check.ts'
import { ProofFailed } from '../../domain/proof/failed.ts'

const GZIP = Buffer.of(0x1f, 0x8b)

/**
 * Length and SHA-256 of the content of a stream in constant memory, decompressed if it begins as gzip does: a name says
 * nothing, downloads lose or gain `.gz`. Several gzip members follow each other as RFC 1952 allows, but nothing else may.
 * Throws `ProofFailed` 10 if the gzip is damaged, or the content is longer than `maxBytes`.
 */
export const digestOfContent = async (
  source: AsyncIterable<Uint8Array>,
  name: string,
  maxBytes: number | null,
): Promise<GivenDocument> => {
  const digest = createHash('sha256')
  let bytes = 0
  const count = async (chunks: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const chunk of chunks) {
      digest.update(chunk)
      bytes += chunk.length
      if (maxBytes !== null && bytes > maxBytes) throw longerDocument(maxBytes)
    }
  }
  const [first, chunks] = await firstBytes(source[Symbol.asyncIterator]())
  if (first.equals(GZIP)) {
    let compressed = 0
    const gunzip = createGunzip()
    const measured = async function* () {
      for await (const chunk of chunks) {
        compressed += chunk.length
        yield chunk
      }
    }
    try {
      await pipeline(measured, gunzip, count)
    } catch (error) {
      if (error instanceof ProofFailed) throw error
      const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
      if (code?.startsWith('Z_') === true) throw damaged(name)
      throw error
    }
    // zlib ignores zeros behind the end, which other readers do not.
    if (gunzip.bytesWritten !== compressed) throw damaged(name)
  } else await count(chunks)
  return { bytes, sha256: digest.digest('hex') }
}

const firstBytes = async (chunks: AsyncIterator<Uint8Array>): Promise<readonly [Buffer, AsyncIterable<Uint8Array>]> => {
  let read = Buffer.of()
  let isEnd = false
  while (read.length < GZIP.length && !isEnd) {
    const next = await chunks.next()
    isEnd = next.done === true
    if (next.done !== true) read = Buffer.concat([read, next.value])
  }
  const all = async function* () {
    yield read
    for (;;) {
      const next = isEnd ? null : await chunks.next()
      if (!next || next.done === true) return
      yield next.value
    }
  }
  return [read.subarray(0, GZIP.length), all()]
}

const damaged = (name: string): ProofFailed =>
  new ProofFailed(10, `${name} begins as gzip does, but it is damaged, or something follows its end`)
