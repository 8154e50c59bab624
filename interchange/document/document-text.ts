/**
 * The text of a document while its cases are written: parts that are never copied while it grows, because a document of
 * 64 MiB would need its memory three times then.
 */
export const newDocumentText = () => {
  const encoder = new TextEncoder()
  let parts: Part[] = []
  let length = 0

  const lastPart = (): Part => {
    const last = parts.at(-1)
    if (last !== undefined && last.bytes.length - last.used >= MAX_CHARACTER_BYTES) return last
    const size = length < MAX_SMALL_BYTES ? Math.max(FIRST_PART_BYTES, length) : LARGE_PART_BYTES
    const part = { bytes: Buffer.allocUnsafeSlow(size), used: 0 }
    parts.push(part)
    return part
  }
  /** Appends a text, and returns its bytes, in one piece or several. */
  const write = (text: string): readonly Uint8Array[] => {
    const pieces: Uint8Array[] = []
    for (let rest = text; rest !== '';) {
      const part = lastPart()
      const { read, written } = encoder.encodeInto(rest, part.bytes.subarray(part.used))
      pieces.push(part.bytes.subarray(part.used, part.used + written))
      part.used += written
      length += written
      rest = rest.slice(read)
    }
    return pieces
  }

  /** Gives the memory of the parts back at once: the garbage collector counts it late. */
  const discard = () => {
    for (const { bytes } of parts) bytes.buffer.transfer(0)
    parts = []
    length = 0
  }

  return {
    length: () => length,
    discard,
    /** Appends a case, and returns its bytes, in one piece or several, which are valid until `finish` or `discard`. */
    add: (text: string): readonly Uint8Array[] => {
      if (length > 0) write(',')
      return write(text)
    },
    /**
     * Puts the beginning before the cases and the end after them. Returns the whole text, which fills its buffer, so that it
     * can be moved to another thread. Must be called last.
     */
    finish: (start: string, end: string): Uint8Array => {
      const [first, last] = [Buffer.from(start, 'utf8'), Buffer.from(end, 'utf8')]
      const whole = Buffer.allocUnsafeSlow(first.length + length + last.length)
      let at = first.copy(whole)
      for (const { bytes, used } of parts) {
        at += bytes.copy(whole, at, 0, used)
        bytes.buffer.transfer(0)
      }
      last.copy(whole, at)
      parts = []
      return new Uint8Array(whole.buffer)
    },
  }
}

type Part = { readonly bytes: Buffer<ArrayBuffer>; used: number }

const FIRST_PART_BYTES = 16 * 1024
const MAX_SMALL_BYTES = 4 * 1024 * 1024
/**
 * Room for the rest of any document. The operating system gives memory to a part of this size only where it is written, and
 * takes it back at once. That of many smaller parts would stay with the process.
 */
const LARGE_PART_BYTES = 64 * 1024 * 1024
/** The most bytes of one character, which is never in two parts. */
const MAX_CHARACTER_BYTES = 4
