import { MAX_LINE_BYTES } from './event.ts'

/** A line and its place. `bytes` is null for one that is too long to be read. */
export type PlacedLine = { readonly offset: number; readonly length: number; readonly bytes: Buffer | null }

/** Where reading goes on: the first byte that was not taken, and where a line began that is being skipped. */
export type LinePosition = { readonly offset: number; readonly skippedFrom: number | null }

const NEWLINE = 0x0a
const RETURN = 0x0d

/** Cuts chunks of bytes into lines, from a position on. At most one line is held. */
export const lineCutter = (from: LinePosition, take: (line: PlacedLine) => void) => {
  let { offset } = from
  let isSkipping = from.skippedFrom !== null
  let start = from.skippedFrom ?? offset
  let held: Buffer[] = []
  let heldBytes = 0

  const endLine = (rest: Buffer, end: number): void => {
    if (isSkipping) take({ offset: start, length: end - start, bytes: null })
    else {
      const bytes = held.length > 0 ? Buffer.concat([...held, rest]) : rest
      const isReturned = bytes.at(-1) === RETURN
      take({ offset: start, length: end - start, bytes: isReturned ? bytes.subarray(0, -1) : bytes })
    }
    held = []
    heldBytes = 0
    isSkipping = false
  }

  return {
    push: (chunk: Buffer): void => {
      let at = 0
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, at)) {
        if (heldBytes + end - at > MAX_LINE_BYTES) isSkipping = true
        endLine(chunk.subarray(at, end), offset + end)
        at = end + 1
        start = offset + at
      }
      const rest = chunk.subarray(at)
      offset += chunk.length
      if (heldBytes + rest.length > MAX_LINE_BYTES) {
        isSkipping = true
        held = []
        heldBytes = 0
      }
      if (isSkipping || rest.length === 0) return
      // Copied, so that a short rest does not hold its whole chunk.
      held.push(Buffer.from(rest))
      heldBytes += rest.length
    },
    /** The bytes end: what is left is the last line. */
    end: (): void => {
      if (offset > start) endLine(Buffer.alloc(0), offset)
      start = offset
    },
    /** Where a later cutter goes on. It gets a line that has begun from its first byte, unless the line is being skipped. */
    position: (): LinePosition => (isSkipping ? { offset, skippedFrom: start } : { offset: start, skippedFrom: null }),
  }
}
