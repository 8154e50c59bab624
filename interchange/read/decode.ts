import { SourceRefused } from '../document/source-refused.ts'

/**
 * Decodes a stream of UTF-8, without its byte order mark. A character that is cut off at the end is left out. Throws
 * `SourceRefused` for other bytes.
 */
export const decodeUtf8 = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let offset = 0
  for await (const chunk of chunks) {
    yield decoded(decoder, chunk, offset)
    offset += chunk.length
  }
}

const decoded = (decoder: TextDecoder, chunk: Uint8Array, offset: number): string => {
  try {
    return decoder.decode(chunk, { stream: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error
    throw new SourceRefused(`not valid UTF-8 after byte ${offset}, perhaps Latin-1 or Windows-1252: save it as UTF-8`, {
      cause: error,
    })
  }
}
