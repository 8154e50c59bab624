/**
 * The text of a document while its cases are written: one buffer that grows, because a document of 64 MiB in parts would
 * need its memory twice when they are joined.
 */
export const newDocumentText = () => {
  let buffer: Buffer<ArrayBuffer> = Buffer.from(new ArrayBuffer(FIRST_BYTES))
  let length = 0
  const reserve = (bytes: number) => {
    if (length + bytes <= buffer.length) return
    const larger = Buffer.from(new ArrayBuffer(Math.max(buffer.length * 2, length + bytes)))
    buffer.copy(larger, 0, 0, length)
    buffer = larger
  }
  const write = (text: string) => {
    reserve(Buffer.byteLength(text))
    length += buffer.write(text, length, 'utf8')
  }
  return {
    length: () => length,
    /** Appends a case, and returns its bytes, which are valid until the next call. */
    add: (text: string): Uint8Array => {
      if (length > 0) write(',')
      const from = length
      write(text)
      return buffer.subarray(from, length)
    },
    /** Puts the beginning before the cases and the end after them. Returns the whole text, and must be called last. */
    finish: (start: string, end: string): Uint8Array => {
      const startBytes = Buffer.byteLength(start)
      reserve(startBytes + Buffer.byteLength(end))
      buffer.copyWithin(startBytes, 0, length)
      buffer.write(start, 0, 'utf8')
      length += startBytes
      write(end)
      // Without the unused end: the document stays in memory for a while, and can be moved to another thread only as a whole.
      return new Uint8Array(buffer.buffer.transfer(length))
    },
  }
}

const FIRST_BYTES = 256 * 1024
