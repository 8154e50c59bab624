import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Writes text or bytes to standard output. The reader may close the pipe early, as `head` does. */
export const writeStdout = async (text: string | Uint8Array): Promise<void> => {
  if (text.length > 0) await writeStdoutChunks([text])
}

/** Writes pieces of text or bytes, none of them empty, to standard output. The reader may close the pipe early. */
export const writeStdoutChunks = async (chunks: Iterable<string | Uint8Array>): Promise<void> => {
  try {
    await pipeline(Readable.from(chunks, { objectMode: false }), process.stdout, { end: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  }
}
