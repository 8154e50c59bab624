import { isUtf8 } from 'node:buffer'
import { isExactDouble, mayBeInexact } from './canonical-json.ts'
import { invalid, malformedDocument } from './invalid-document.ts'

export type ScannedDocument = {
  /** The bytes without the elements of the last top-level `cases` array. */
  readonly skeleton: Uint8Array
  /** Whether the skeleton has a number token that no double represents. */
  readonly exactSkeleton: boolean
  readonly caseCount: number
  /** The offset of each element in the bytes, without the white space around it. */
  readonly offsets: Uint32Array
  readonly lengths: Uint32Array
  /** 1 if the element has a number token that no double represents. */
  readonly exact: Uint8Array
}

export const MAX_DEPTH = 512
export const MAX_VALUES = 4_000_000

// The classes of bytes outside of strings. SCALAR is every byte of a number or literal, and every byte that JSON.parse
// rejects.
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

// The key `cases` in all its spellings, as JSON.parse unescapes them.
const CASES_KEY = /^"(?:c|\\u0063)(?:a|\\u0061)(?:s|\\u0073)(?:e|\\u0065)(?:s|\\u0073)"$/

// The values of the variable `element` if the scan is not inside an element. Inside one, it is the offset of its start.
const OUTSIDE = -2
const BEFORE_ELEMENT = -1

/**
 * Maximum number of distinct keys in a document, those of free-form values included. The parser may store each key as
 * long as the process lives, about a kilobyte per key: three million of them took 16 s and 3 GB.
 */
const MAX_DISTINCT_KEYS = 300_000
const DISTINCT_BITS = 1 << 22

/** Number of bytes of a string that are read one by one. After them a native search is faster. */
const SHORT_STRING_BYTES = 24

/**
 * Finds the elements of the last top-level `cases` array in one pass, so that a document can be parsed case by case.
 * Throws "malformed" for bytes that are not UTF-8 or start with a BOM. Throws "invalid" for a document deeper than 512
 * or with more than 4,000,000 values.
 *
 * JSON.parse alone checks the grammar: the whole parses if and only if the skeleton and every slice parse, and the
 * values are the same.
 *
 * - If the whole parses, strings and brackets are where the scan sees them. Then the slices are the elements, and the
 *   skeleton is the whole with another array as the value of `cases`.
 * - If the skeleton parses, the parser reads the text before its `[]` as the scan did: outside of a string, just after
 *   the last top-level key `cases`. If every slice
 *   parses too, the slices are valid elements of the array at that place: the scan checks that there is a comma between
 *   each two slices and a `]` after the last.
 *
 * The scan counts brackets but does not match them: a slice with `[}` does not parse. What the scan itself rejects (one
 * bracket too many, a missing bracket, a misplaced comma) is a JSON error at or before that byte.
 */
export const scanDocument = (bytes: Uint8Array, maxKeys = MAX_DISTINCT_KEYS): ScannedDocument => {
  if (!isUtf8(bytes)) throw malformedDocument('not valid UTF-8')
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf)
    throw malformedDocument('starts with a byte order mark')

  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = bytes.length
  let offset = 0
  let depth = 0
  let values = 0

  let isTopObject = false
  let keyStart = 0 // the last string; before a colon it is the key
  let keyEnd = 0
  let keys = 0
  let distinct: ReturnType<typeof distinctKeys> | undefined
  let isCasesValueNext = false // the next value belongs to a top-level key `cases`
  let cutStart = -1 // after the `[` of the last such array
  let cutEnd = -1 // at its `]`

  // The offset of the next quote and backslash. Both only grow, so the scan takes linear time.
  let quote = -1
  let backslash = -1

  let element = OUTSIDE
  let tokenEnd = 0
  let inexactElement = 0
  let exactSkeleton = false
  let caseElements = elementList()

  const isCasesKey = () => {
    // The key has 32 bytes if every letter is escaped.
    const length = keyEnd - keyStart
    return length >= 7 && length <= 32 && CASES_KEY.test(text.toString('latin1', keyStart, keyEnd))
  }

  while (offset < end) {
    const byte = bytes[offset]!
    const kind = CLASS[byte]!
    if (kind === SPACE) {
      offset++
      continue
    }
    if (kind === COMMA) {
      if (depth === 1) isCasesValueNext = false
      else if (depth === 2 && element !== OUTSIDE) {
        if (element === BEFORE_ELEMENT) throw unexpected(byte, offset)
        caseElements.add(element, tokenEnd, inexactElement)
        element = BEFORE_ELEMENT
        inexactElement = 0
      }
      offset++
      continue
    }
    if (element === BEFORE_ELEMENT && (kind !== CLOSE || depth !== 2)) element = offset

    if (kind === QUOTE) {
      const start = offset++
      const nearEnd = Math.min(offset + SHORT_STRING_BYTES, end)
      while (offset < nearEnd) {
        const next = bytes[offset]
        if (next === QUOTATION_MARK) break
        offset += next === BACKSLASH ? 2 : 1
      }
      while (offset >= nearEnd && offset < end) {
        if (quote < offset) quote = nextOf(text, QUOTATION_MARK, offset)
        if (backslash < offset) backslash = nextOf(text, BACKSLASH, offset)
        if (quote < backslash) {
          offset = quote
          break
        }
        offset = Math.min(backslash, end) + 2
      }
      if (offset >= end) throw malformedDocument('unterminated string')
      offset++
      keyStart = start
      keyEnd = offset
      values++
    } else if (kind === SCALAR) {
      const start = offset++
      let hasExponent = false
      while (offset < end && CLASS[bytes[offset]!] === SCALAR) {
        if (bytes[offset] === LOWER_E || bytes[offset] === UPPER_E) hasExponent = true
        offset++
      }
      const isNumber = (byte >= ZERO && byte <= NINE) || byte === MINUS
      if (
        isNumber &&
        (offset - start >= 16 || hasExponent || (byte === MINUS && bytes[start + 1] === ZERO)) &&
        !isExactToken(text, start, offset)
      ) {
        if (element === OUTSIDE) exactSkeleton = true
        else inexactElement = 1
      }
      values++
    } else if (kind === OPEN) {
      if (++depth > MAX_DEPTH) throw invalid(`nested deeper than ${MAX_DEPTH}`)
      if (depth === 1) isTopObject = byte === OPEN_BRACE
      offset++
      if (depth === 2 && isCasesValueNext) {
        isCasesValueNext = false
        if (byte === OPEN_BRACKET) {
          cutStart = offset
          element = BEFORE_ELEMENT
        }
      }
      values++
    } else if (kind === CLOSE) {
      if (depth === 2 && element !== OUTSIDE) {
        if (byte !== CLOSE_BRACKET || (element === BEFORE_ELEMENT && caseElements.count() > 0))
          throw unexpected(byte, offset)
        if (element !== BEFORE_ELEMENT) caseElements.add(element, tokenEnd, inexactElement)
        element = OUTSIDE
        inexactElement = 0
        cutEnd = offset
      }
      if (--depth < 0) throw unexpected(byte, offset)
      offset++
    } else {
      // A colon follows a key, and keys are not values.
      values--
      if (++keys > maxKeys) {
        distinct ??= distinctKeys()
        if (distinct.count(bytes, keyStart, keyEnd) > maxKeys) throw invalid(`more than ${maxKeys} distinct keys`)
      }
      if (depth === 1 && isTopObject && isCasesKey()) {
        isCasesValueNext = true
        // The last value of a repeated key counts: an array found earlier stays in the skeleton, with its numbers.
        if (caseElements.anyExact()) exactSkeleton = true
        cutStart = -1
        caseElements = elementList()
      }
      offset++
    }
    tokenEnd = offset
    if (values > MAX_VALUES) throw invalid(`more than ${MAX_VALUES} values`)
  }
  if (depth > 0) throw malformedDocument('unexpected end of input')
  if (cutStart < 0) return { skeleton: bytes, exactSkeleton, ...elementList().spans() }
  return {
    skeleton: Buffer.concat([text.subarray(0, cutStart), text.subarray(cutEnd)]),
    exactSkeleton,
    ...caseElements.spans(),
  }
}

/** Counts distinct keys, slightly too low: it stores one bit per key, selected by a hash (FNV-1a) of its bytes. */
const distinctKeys = () => {
  const seenBits = new Uint8Array(DISTINCT_BITS / 8)
  let count = 0
  return {
    count(bytes: Uint8Array, start: number, end: number): number {
      let hash = 0x811c9dc5
      for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193)
      const bit = (hash ^ (hash >>> 15)) & (DISTINCT_BITS - 1)
      const [byteIndex, mask] = [bit >>> 3, 1 << (bit & 7)]
      if ((seenBits[byteIndex]! & mask) === 0) {
        seenBits[byteIndex]! |= mask
        count++
      }
      return count
    },
  }
}

const nextOf = (text: Buffer, byte: number, from: number): number => {
  const offset = text.indexOf(byte, from)
  return offset < 0 ? text.length : offset
}

const isExactToken = (text: Buffer, start: number, end: number) => {
  const token = text.toString('latin1', start, end)
  return !mayBeInexact(token) || isExactDouble(token)
}

const unexpected = (byte: number, offset: number) =>
  malformedDocument(`unexpected '${String.fromCharCode(byte)}' at byte ${offset}`)

/** Spans in typed arrays that double in size when they are full: a document may have millions. */
const elementList = () => {
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
    spans: () => ({
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
