import { BYTE_ORDER_MARK, hasMark, withoutMark } from './decode.ts'

/** A line with its number from 1. `bytes` is a copy of its bytes, or null if the line is longer than the limit. */
export type Line = { readonly line: number; readonly bytes: Uint8Array | null }

const NEWLINE = 0x0a
/** A byte order mark and the carriage return of the line end: bytes of a line that do not count. */
const UNCOUNTED_BYTES = BYTE_ORDER_MARK.length + 1
const BLANK: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d])

/**
 * Splits a byte stream into lines without their line ends, and skips blank lines. A byte order mark before a line is
 * left out: files that were joined have one in the middle as well. Buffers one line of at most `limit`
 * bytes.
 */
export const splitLines = async function* (chunks: AsyncIterable<Uint8Array>, limit: number): AsyncGenerator<Line> {
  let line = 1
  let parts: Uint8Array[] = []
  let length = 0

  const add = (part: Uint8Array) => {
    length += part.length
    // A line over the limit is only measured, to bound memory.
    if (length > limit + UNCOUNTED_BYTES) parts = []
    else if (part.length > 0) parts.push(part)
  }
  const endLine = (): Line | null => {
    const found = joinedLine(line, length, parts, limit)
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
      const found = endLine()
      if (found) yield found
    }
    add(chunk.subarray(start))
  }
  const last = endLine()
  if (last) yield last
}

const joinedLine = (line: number, length: number, parts: readonly Uint8Array[], limit: number): Line | null => {
  if (length > limit + UNCOUNTED_BYTES) return { line, bytes: null }
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const part of parts) {
    bytes.set(part, offset)
    offset += part.length
  }
  // Copied, so that the bytes begin at offset 0 of their buffer.
  const content = hasMark(bytes) ? withoutMark(bytes).slice() : bytes
  const trimmed = content.at(-1) === 0x0d ? content.subarray(0, -1) : content
  if (trimmed.every((byte) => BLANK.has(byte))) return null
  return { line, bytes: trimmed.length > limit ? null : trimmed }
}
