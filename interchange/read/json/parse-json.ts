import { isUtf8 } from 'node:buffer'
import { getHeapStatistics } from 'node:v8'
import { hasMoreValues } from '../../../domain/cache/json-bounds.ts'
import { parseExact } from '../../../domain/run/canonical-json.ts'
import type { Json } from '../../../domain/run/readers.ts'
import { withoutMark } from '../decode.ts'
import type { Losses } from '../../document/losses.ts'
import { nullForNonNumbers } from './non-numbers.ts'
import { SourceRefused } from '../../document/source-refused.ts'

/**
 * Maximum number of values of one JSON text. A text of 64 MiB can hold 30 million values, which take gigabytes when it is
 * parsed, and a thread that runs out of memory there can end its process.
 */
export const MAX_TEXT_VALUES = 1_000_000

/**
 * Parses JSON as other tools write it: the words NaN, Infinity and -Infinity, which Python writes for numbers, become
 * null and are recorded as losses at `path`. A number beyond the range of doubles, such as 1e400, becomes its text, and is recorded. A byte order mark is skipped. Integers that no double represents keep their digits. Throws
 * `SourceRefused` for anything else that is not JSON, or not UTF-8, and for a text of more than 1,000,000 values.
 */
export const parseJson = (bytes: Uint8Array, losses: Losses, path: string): Json => {
  if (!isUtf8(bytes)) throw new SourceRefused(`not valid UTF-8 at ${path || 'the top'}`)
  if (hasMoreValues(bytes, MAX_TEXT_VALUES))
    throw new SourceRefused(`more than ${MAX_TEXT_VALUES} values at ${path || 'the top'}`)
  claimHeap(bytes.length)
  const { buffer, byteOffset, byteLength } = withoutMark(bytes)
  const read = Buffer.from(buffer, byteOffset, byteLength).toString('utf8')
  const text = HUGE_NUMBER.test(read) ? withHugeAsText(read, losses, path) : read
  const parse = (json: string): Json => (LONG_INTEGER.test(json) ? parseExact(json) : JSON.parse(json)) as Json
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const words: string[] = []
    const replaced = nullForNonNumbers(text, (word) => words.push(word))
    if (words.length > 0) {
      try {
        const value = parse(replaced)
        for (const word of words) losses.add('changed', path, word, 'not a number: null')
        return value
      } catch (second) {
        if (!(second instanceof SyntaxError)) throw second
      }
    }
    throw new SourceRefused(`not valid JSON at ${path || 'the top'}: ${shortened(error.message)}`, { cause: error })
  }
}

/** What V8 lets a thread take beyond its limit, so that it can end the thread, is 16 MiB. */
const SMALL_HEAP_BYTES = 12 * 2 ** 20
/** The most that a value takes on the heap: a key of an object with very many keys. */
const VALUE_BYTES = 128
const CHUNK_VALUES = 8_192

/**
 * Takes the heap that reading a text may need, and leaves it as garbage, unless there is room. If the heap of the thread is too small, V8
 * ends the thread here. JSON.parse takes it in large steps between which no thread can be ended: V8 would end the process.
 */
export const claimHeap = (textBytes: number): void => {
  const needed = 2 * textBytes + VALUE_BYTES * Math.min(textBytes / 2, MAX_TEXT_VALUES)
  if (needed < SMALL_HEAP_BYTES) return
  const { heap_size_limit, used_heap_size } = getHeapStatistics()
  // More than is needed: the limit counts the heap of young objects, too, where large ones have no room.
  if (heap_size_limit - used_heap_size > 2 * needed) return
  const claimed: unknown[] = []
  while (claimed.length * 8 * CHUNK_VALUES < 1.5 * needed) claimed.push(new Array(CHUNK_VALUES).fill(0))
}

/** An integer of 16 digits or more: shorter ones always fit a double. A match inside a string only makes parsing slower. */
const LONG_INTEGER = /(?:^|[^.\d])\d{16}/

/** A number that may be beyond the range of doubles, such as 1e400. */
const HUGE_NUMBER = /\d[eE]\+?\d{3}/

const STRINGS_AND_NUMBERS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs

/** Writes numbers that no double can hold as text. Long integers stay: they keep their digits. */
const withHugeAsText = (text: string, losses: Losses, path: string): string =>
  text.replace(STRINGS_AND_NUMBERS, (token) => {
    if (token.startsWith('"') || Number.isFinite(Number(token)) || !/[.eE]/.test(token)) return token
    losses.add('changed', path, token, 'a number that is too large: its text')
    return `"${token}"`
  })

/** The message without the text around the position, which is the content of the file. */
const shortened = (message: string): string =>
  message
    .replace(/, (?:\.\.\.)?".*$/s, '')
    .slice(0, 200)
    .toWellFormed()
