/** A line of bytes with its number from 1; `bytes` is null when it is longer than the limit. The bytes are a copy. */
export type Line = { readonly line: number; readonly bytes: Uint8Array | null }

const NEWLINE = 0x0a
const BLANK: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d])

/**
 * Splits a stream of bytes into its lines without the line ends, leaving out blank ones; holds one line of at most
 * `limit` bytes.
 */
export const splitLines = async function* (chunks: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Line> {
  let line = 1
  let parts: Uint8Array[] = []
  let length = 0

  const add = (part: Uint8Array) => {
    length += part.length
    // Too long a line is only measured, so that memory stays bounded.
    if (length > limit + 1) parts = []
    else if (part.length > 0) parts.push(part)
  }
  const take = (): Line | null => {
    const found = lineOf(line, length, parts, limit)
    line += 1
    parts = []
    length = 0
    return found
  }

  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, end))
      start = end + 1
      const found = take()
      if (found) yield found
    }
    add(chunk.subarray(start))
  }
  const last = take()
  if (last) yield last
}

const lineOf = (line: number, length: number, parts: readonly Uint8Array[], limit: number): Line | null => {
  // One byte over the limit may still be the carriage return of the line end.
  if (length > limit + 1) return { line, bytes: null }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  const trimmed = bytes.at(-1) === 0x0d ? bytes.subarray(0, -1) : bytes
  if (trimmed.every((byte) => BLANK.has(byte))) return null
  return { line, bytes: trimmed.length > limit ? null : trimmed }
}
