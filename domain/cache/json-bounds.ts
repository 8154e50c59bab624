import { MAX_DEPTH } from '../run/scan.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const COMMA = 0x2c
const OPEN_OBJECT = 0x7b
const OPEN_ARRAY = 0x5b
const CLOSE_OBJECT = 0x7d
const CLOSE_ARRAY = 0x5d

/**
 * Maximum number of keys (repeated ones count each time), and maximum number of objects, in one text. The parser stores
 * every distinct key and allocates memory for every object, even an empty one: hundreds of thousands take a second.
 */
const MAX_KEYS_OR_OBJECTS = 100_000

/** Maximum number of arrays in one text. They cost less than objects, and lists of points or boxes contain many. */
const MAX_ARRAYS = 200_000

/**
 * Whether the bytes are safe to pass to JSON.parse: not nested too deep for JSON.stringify to write again, and with few
 * enough keys, objects and arrays to parse quickly. Does not check the grammar.
 */
export const isWithinJsonBounds = (bytes: Uint8Array): boolean => {
  let depth = 0
  let keys = 0
  let objects = 0
  let arrays = 0
  for (let offset = 0; offset < bytes.length; offset++) {
    const byte = bytes[offset]
    if (byte === QUOTE) offset = endOfString(bytes, offset)
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (++depth > MAX_DEPTH || (byte === OPEN_OBJECT ? ++objects > MAX_KEYS_OR_OBJECTS : ++arrays > MAX_ARRAYS))
        return false
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--
    else if (byte === COLON && ++keys > MAX_KEYS_OR_OBJECTS) return false
  }
  return true
}

/** Whether objects and arrays of a JSON text are nested deeper than `maxDepth`. It does not check the grammar. */
export const isDeeperThan = (bytes: Uint8Array, maxDepth: number): boolean => {
  let depth = 0
  for (let offset = 0; offset < bytes.length; offset++) {
    const byte = bytes[offset]
    if (byte === QUOTE) offset = endOfString(bytes, offset)
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (++depth > maxDepth) return true
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--
  }
  return false
}

/**
 * Whether a JSON text has more values than `maxValues`: each is after a comma or an opening bracket, or is the only one. An
 * empty object or array counts as two. It does not check the grammar.
 */
export const hasMoreValues = (bytes: Uint8Array, maxValues: number): boolean => {
  // Each value but the last takes two bytes at least.
  if (bytes.length <= 2 * maxValues) return false
  let values = 1
  for (let offset = 0; offset < bytes.length; offset++) {
    const byte = bytes[offset]
    if (byte === QUOTE) offset = endOfString(bytes, offset)
    else if ((byte === COMMA || byte === OPEN_OBJECT || byte === OPEN_ARRAY) && ++values > maxValues) return true
  }
  return false
}

/** Returns the offset of the closing quote of a string, or the end of the text. */
const endOfString = (bytes: Uint8Array, start: number): number => {
  let offset = start + 1
  for (; offset < bytes.length && bytes[offset] !== QUOTE; offset++) if (bytes[offset] === BACKSLASH) offset++
  return offset
}
