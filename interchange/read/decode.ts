import { SourceRefused } from '../document/source-refused.ts'

export const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const

/** The bytes of a text in UTF-8, without the byte order mark that some tools write before it. */
export const withoutMark = (bytes: Uint8Array): Uint8Array =>
  hasMark(bytes) ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes

/** Whether a text in UTF-8 begins with a byte order mark. */
export const hasMark = (bytes: Uint8Array): boolean => BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte)

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
