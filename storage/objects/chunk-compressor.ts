import { constants, createZstdCompress } from 'node:zlib'

const LEVEL = 3

/** Compresses chunks, each on its own, on another thread. */
export type ChunkCompressor = { readonly compress: (chunk: Uint8Array) => Promise<Buffer>; readonly close: () => void }

/**
 * Compresses chunks of at most some bytes with the memory of one compressor, which is a third of the time of `zstdCompress` for each. Compress one
 * chunk at a time.
 */
export const chunkCompressor = (maxBytes: number): ChunkCompressor => {
  const stream = createZstdCompress({
    params: {
      [constants.ZSTD_c_compressionLevel]: LEVEL,
      // No more of what came before is kept than a chunk has.
      [constants.ZSTD_c_windowLog]: Math.ceil(Math.log2(maxBytes)),
    },
    chunkSize: maxBytes + 4 * 1024,
  })
  let parts: Buffer[] = []
  let failed: (error: Error) => void = () => {}
  stream.on('data', (part: Buffer) => parts.push(part))
  stream.on('error', (error) => failed(error))
  return {
    compress: (chunk) =>
      new Promise((resolve, reject) => {
        failed = reject
        stream.write(chunk)
        // It ends the frame, and the next write begins another one.
        stream.flush(constants.ZSTD_e_end, () => {
          // A copy, because the compressor goes on in the same memory.
          const whole = Buffer.concat(parts)
          parts = []
          resolve(whole)
        })
      }),
    close: () => stream.close(),
  }
}
