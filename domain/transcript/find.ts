import { isObject } from '../plain/is-object.ts'
import { MAX_LINE_BYTES } from './event.ts'

// Finds a text in the lines of a transcript, without regard to case. Nearly all lines do not have it, so the bytes are searched first, many
// lines at once, and only a line that may have it is read as JSON: then its texts are compared, and not its names of members.

const NEWLINE = 0x0a

/** Bytes that are searched at once. */
const BATCH_BYTES = 1024 * 1024

/** Whether a text occurs in a value: in a text at any depth. */
const occursIn = (value: unknown, wanted: string): boolean => {
  const stack = [value]
  while (stack.length > 0) {
    const next = stack.pop()
    if (typeof next === 'string') {
      if (next.toLowerCase().includes(wanted)) return true
    } else if (Array.isArray(next)) for (const item of next as unknown[]) stack.push(item)
    else if (isObject(next)) for (const member of Object.values(next)) stack.push(member)
    else if (typeof next === 'number' && String(next).includes(wanted)) return true
  }
  return false
}

const lineHas = (line: string, wanted: string): boolean => {
  try {
    return occursIn(JSON.parse(line), wanted)
  } catch (error) {
    if (error instanceof SyntaxError) return line.toLowerCase().includes(wanted)
    throw error
  }
}

/**
 * What is searched in bytes, in lower case: the longest piece of the text that is written in JSON in one way only. Null if there is none:
 * then every line is read.
 */
const searchedPiece = (wanted: string): string | null => {
  const pieces = wanted.split(/[^\w !#-.:-@[\]^`{|}~]/u)
  const longest = pieces.reduce((best, piece) => (piece.length > best.length ? piece : best), '')
  return longest === '' ? null : longest
}

/** A writer of JSON may escape any character, so a line with an escape of one of the piece is read too. */
const escapesOf = (piece: string): RegExp => {
  const codes = new Set(
    [...piece, ...piece.toUpperCase()].map((one) => one.charCodeAt(0).toString(16).padStart(2, '0')),
  )
  return new RegExp(String.raw`\\u00(?:${[...codes].join('|')})`, 'gi')
}

/** Finds lines with a text in chunks of bytes, the first of which begins a line at an offset. */
export const lineFinder = (q: string, offset: number) => {
  const wanted = q.toLowerCase()
  const piece = searchedPiece(wanted)
  const escapes = piece === null ? null : escapesOf(piece)
  let start = offset
  // Lines that are not searched yet, at the beginning of one buffer that is used again and again.
  let batch = Buffer.allocUnsafeSlow(2 * BATCH_BYTES)
  let held = 0
  let isSkipping = false

  const search = (bytes: Buffer): number[] => {
    const found: number[] = []
    const check = (from: number, to: number): void => {
      if (to - from <= MAX_LINE_BYTES && lineHas(bytes.toString('utf8', from, to), wanted)) found.push(start + from)
    }
    const lineAt = (at: number): [number, number] => {
      const end = bytes.indexOf(NEWLINE, at)
      return [at === 0 ? 0 : bytes.lastIndexOf(NEWLINE, at - 1) + 1, end < 0 ? bytes.length : end]
    }
    // Bytes as characters: what is not ASCII is in no searched piece.
    const text = piece === null ? '' : bytes.toString('latin1').toLowerCase()
    const hasEscapes = bytes.includes('\\u00')
    const escapeFrom = (at: number): number => {
      if (!escapes || !hasEscapes) return -1
      escapes.lastIndex = at
      return escapes.exec(text)?.index ?? -1
    }
    let nextEscape = escapeFrom(0)
    let nextHit = piece === null ? -1 : text.indexOf(piece)
    const nextFrom = (at: number): number => {
      if (piece === null) return at < bytes.length ? at : -1
      // Each is searched again only once it is passed: else every line would search the rest.
      if (nextHit >= 0 && nextHit < at) nextHit = text.indexOf(piece, at)
      if (nextEscape >= 0 && nextEscape < at) nextEscape = escapeFrom(at)
      return nextHit < 0 || nextEscape < 0 ? Math.max(nextHit, nextEscape) : Math.min(nextHit, nextEscape)
    }
    for (let at = nextFrom(0); at >= 0;) {
      const [from, to] = lineAt(at)
      check(from, to)
      at = nextFrom(to + 1)
    }
    return found
  }

  const hold = (bytes: Buffer): void => {
    if (held + bytes.length > batch.length) {
      const larger = Buffer.allocUnsafeSlow(2 * (held + bytes.length))
      batch.copy(larger, 0, 0, held)
      batch = larger
    }
    held += bytes.copy(batch, held)
  }

  /** Searches what is held up to a byte; the rest stays. */
  const take = (end: number): number[] => {
    const found = search(batch.subarray(0, end))
    batch.copyWithin(0, end, held)
    start += end
    held -= end
    return found
  }

  /** What follows the line that is being skipped. */
  const afterLine = (bytes: Buffer): Buffer => {
    const end = bytes.indexOf(NEWLINE)
    isSkipping = end < 0
    const skipped = end < 0 ? bytes.length : end + 1
    start += skipped
    return bytes.subarray(skipped)
  }

  return {
    /** The offsets of lines that have the text, of those that are complete. */
    push: (bytes: Buffer): number[] => {
      const chunk = isSkipping ? afterLine(bytes) : bytes
      hold(chunk)
      if (held < BATCH_BYTES) return []
      if (chunk.includes(NEWLINE)) return take(batch.lastIndexOf(NEWLINE, held - 1) + 1)
      // A line that is too long has no text to be found: it is not held.
      if (held > MAX_LINE_BYTES) {
        start += held
        held = 0
        isSkipping = true
      }
      return []
    },
    /** Those of the rest. */
    end: (): number[] => take(held),
    /** Where the first line begins that was not searched, or a byte in one that is too long. */
    lineStart: (): number => start,
  }
}
