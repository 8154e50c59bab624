import { isUtf8 } from 'node:buffer'
import { isExactDouble, mayBeInexact } from './canonical-json.ts'
import { invalid, malformed } from './invalid-document.ts'

export type ScannedDocument = {
  /** The bytes with the elements of the last top-level `cases` array taken out. */
  readonly skeleton: Uint8Array
  /** Whether the skeleton holds a number token that a double does not hold. */
  readonly exactSkeleton: boolean
  readonly caseCount: number
  /** Where each element stands in the bytes, white space around it left out. */
  readonly offsets: Uint32Array
  readonly lengths: Uint32Array
  /** 1 when the element holds a number token that a double does not hold. */
  readonly exact: Uint8Array
}

export const MAX_DEPTH = 512
export const MAX_VALUES = 4_000_000

// What a byte outside of strings is. SCALAR is everything a number or literal is made of, and whatever JSON.parse is to
// refuse.
const SCALAR = 0
const SPACE = 1
const QUOTE = 2
const OPEN = 3
const CLOSE = 4
const COMMA = 5
const COLON = 6
const CLASS = new Uint8Array(256)
for (const [kind, bytes] of [
  [SPACE, ' \t\n\r'],
  [QUOTE, '"'],
  [OPEN, '[{'],
  [CLOSE, ']}'],
  [COMMA, ','],
  [COLON, ':'],
] as const) {
  for (const byte of Buffer.from(bytes)) CLASS[byte] = kind
}

const BACKSLASH = 0x5c
const QUOTATION_MARK = 0x22
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39
const UPPER_E = 0x45
const LOWER_E = 0x65

// The key as JSON.parse would unescape it, in all its spellings.
const CASES_KEY = /^"(?:c|\\u0063)(?:a|\\u0061)(?:s|\\u0073)(?:e|\\u0065)(?:s|\\u0073)"$/

// States of the search for elements, in the variable that else holds where the current element starts.
const OUTSIDE = -2
const AWAITED = -1

/**
 * Distinct keys a document may have, those of free-form values included. Each stays in the parser's memory (about a
 * kilobyte in all) for as long as the process likes: three million of them took 16 s and 3 GB.
 */
const MAX_DISTINCT_KEYS = 300_000
const DISTINCT_BITS = 1 << 22

/**
 * Bytes of a string looked at one by one; a longer one is left to a native search, which a short one would not repay.
 */
const SHORT = 24

/**
 * Finds the elements of the last top-level `cases` array in one pass, so that a document is parsed a case at a time.
 * Refuses, as malformed, what is not UTF-8 or starts with a BOM, and as invalid what is deeper than 512 or holds more
 * than 4,000,000 values.
 *
 * JSON.parse stays the judge of the grammar: the whole parses exactly when the skeleton and every slice do, and the
 * values are the same. If the whole parses, strings and brackets are where the scan sees them, so the slices are the
 * elements, and the skeleton is the whole with one array value in place of another. If the skeleton parses, the text
 * before its `[]` is read by the parser as the scan read it: outside of a string, right after the last top-level key
 * `cases`; the slices that parse, with one comma between each two and a `]` behind (the scan itself is strict about
 * these), make an array, which may stand there. Brackets are only counted, not matched: a `[}` inside a slice fails
 * with it. What the scan itself refuses (a close too many, an open end, a stray comma) is an error of JSON at or before
 * that byte.
 */
export const scanDocument = (bytes: Uint8Array, mostKeys = MAX_DISTINCT_KEYS): ScannedDocument => {
  if (!isUtf8(bytes)) throw malformed('not valid UTF-8')
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) throw malformed('starts with a byte order mark')

  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = bytes.length
  let at = 0
  let depth = 0
  let values = 0

  let topIsObject = false
  let keyStart = 0 // the string last seen, which at a colon is the key
  let keyEnd = 0
  let keys = 0
  let distinct: ReturnType<typeof distinctKeys> | undefined
  let casesNext = false // the value to come belongs to a top-level key `cases`
  let cutStart = -1 // behind the `[` of the last such array
  let cutEnd = -1 // at its `]`

  // The next of each at or after the place last asked for: both only go forward, so that the scan stays linear.
  let quote = -1
  let backslash = -1

  let element = OUTSIDE
  let tokenEnd = 0
  let inexactElement = 0
  let exactSkeleton = false
  let found = elements()

  const isCasesKey = () => {
    // With every letter escaped the key takes 32 bytes.
    const length = keyEnd - keyStart
    return length >= 7 && length <= 32 && CASES_KEY.test(text.toString('latin1', keyStart, keyEnd))
  }

  while (at < end) {
    const byte = bytes[at]!
    const kind = CLASS[byte]!
    if (kind === SPACE) {
      at++
      continue
    }
    if (kind === COMMA) {
      if (depth === 1) casesNext = false
      else if (depth === 2 && element !== OUTSIDE) {
        if (element === AWAITED) throw unexpected(byte, at)
        found.add(element, tokenEnd, inexactElement)
        element = AWAITED
        inexactElement = 0
      }
      at++
      continue
    }
    if (element === AWAITED && (kind !== CLOSE || depth !== 2)) element = at

    if (kind === QUOTE) {
      const start = at++
      const near = Math.min(at + SHORT, end)
      while (at < near) {
        const next = bytes[at]
        if (next === QUOTATION_MARK) break
        at += next === BACKSLASH ? 2 : 1
      }
      while (at >= near && at < end) {
        if (quote < at) quote = nextOf(text, QUOTATION_MARK, at)
        if (backslash < at) backslash = nextOf(text, BACKSLASH, at)
        if (quote < backslash) {
          at = quote
          break
        }
        at = Math.min(backslash, end) + 2
      }
      if (at >= end) throw malformed('unterminated string')
      at++
      keyStart = start
      keyEnd = at
      values++
    } else if (kind === SCALAR) {
      const start = at++
      let exponent = false
      while (at < end && CLASS[bytes[at]!] === SCALAR) {
        if (bytes[at] === LOWER_E || bytes[at] === UPPER_E) exponent = true
        at++
      }
      const isNumber = (byte >= ZERO && byte <= NINE) || byte === MINUS
      if (
        isNumber &&
        (at - start >= 16 || exponent || (byte === MINUS && bytes[start + 1] === ZERO)) &&
        !isHeldToken(text, start, at)
      ) {
        if (element === OUTSIDE) exactSkeleton = true
        else inexactElement = 1
      }
      values++
    } else if (kind === OPEN) {
      if (++depth > MAX_DEPTH) throw invalid(`nested deeper than ${MAX_DEPTH}`)
      if (depth === 1) topIsObject = byte === OPEN_BRACE
      at++
      if (depth === 2 && casesNext) {
        casesNext = false
        if (byte === OPEN_BRACKET) {
          cutStart = at
          element = AWAITED
        }
      }
      values++
    } else if (kind === CLOSE) {
      if (depth === 2 && element !== OUTSIDE) {
        if (byte !== CLOSE_BRACKET || (element === AWAITED && found.count() > 0)) throw unexpected(byte, at)
        if (element !== AWAITED) found.add(element, tokenEnd, inexactElement)
        element = OUTSIDE
        inexactElement = 0
        cutEnd = at
      }
      if (--depth < 0) throw unexpected(byte, at)
      at++
    } else {
      // A colon stands behind a key, and keys are not values.
      values--
      if (++keys > mostKeys) {
        distinct ??= distinctKeys()
        if (distinct.count(bytes, keyStart, keyEnd) > mostKeys) throw invalid(`more than ${mostKeys} distinct keys`)
      }
      if (depth === 1 && topIsObject && isCasesKey()) {
        casesNext = true
        // The last value of a key is the one that counts: an array found earlier stays in the skeleton, with its
        // numbers.
        if (found.anyExact()) exactSkeleton = true
        cutStart = -1
        found = elements()
      }
      at++
    }
    tokenEnd = at
    if (values > MAX_VALUES) throw invalid(`more than ${MAX_VALUES} values`)
  }
  if (depth > 0) throw malformed('unexpected end of input')
  if (cutStart < 0) return { skeleton: bytes, exactSkeleton, ...elements().taken() }
  return {
    skeleton: Buffer.concat([text.subarray(0, cutStart), text.subarray(cutEnd)]),
    exactSkeleton,
    ...found.taken(),
  }
}

/** Counts keys that differ, a few too low: one bit each, by a hash (FNV-1a) of its bytes. */
const distinctKeys = () => {
  const met = new Uint8Array(DISTINCT_BITS / 8)
  let count = 0
  return {
    count(bytes: Uint8Array, start: number, end: number): number {
      let hash = 0x811c9dc5
      for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193)
      const bit = (hash ^ (hash >>> 15)) & (DISTINCT_BITS - 1)
      const [at, mask] = [bit >>> 3, 1 << (bit & 7)]
      if ((met[at]! & mask) === 0) {
        met[at]! |= mask
        count++
      }
      return count
    },
  }
}

const nextOf = (text: Buffer, byte: number, from: number): number => {
  const found = text.indexOf(byte, from)
  return found < 0 ? text.length : found
}

const isHeldToken = (text: Buffer, start: number, end: number) => {
  const token = text.toString('latin1', start, end)
  return !mayBeInexact(token) || isExactDouble(token)
}

const unexpected = (byte: number, at: number) => malformed(`unexpected '${String.fromCharCode(byte)}' at byte ${at}`)

/** Spans in typed arrays that double when full: a document may have millions. */
const elements = () => {
  let offsets = new Uint32Array(64)
  let lengths = new Uint32Array(64)
  let exact = new Uint8Array(64)
  let count = 0
  let anyExact = false

  return {
    count: () => count,
    anyExact: () => anyExact,
    add(start: number, end: number, inexact: number) {
      if (count === offsets.length) {
        offsets = doubled(offsets, new Uint32Array(count * 2))
        lengths = doubled(lengths, new Uint32Array(count * 2))
        exact = doubled(exact, new Uint8Array(count * 2))
      }
      offsets[count] = start
      lengths[count] = end - start
      exact[count++] = inexact
      if (inexact === 1) anyExact = true
    },
    taken: () => ({
      caseCount: count,
      offsets: offsets.subarray(0, count),
      lengths: lengths.subarray(0, count),
      exact: exact.subarray(0, count),
    }),
  }
}

const doubled = <T extends Uint32Array | Uint8Array>(from: T, to: T): T => {
  to.set(from)
  return to
}
