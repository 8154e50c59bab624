import { MAX_DEPTH } from '../run/scan.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const OPEN_OBJECT = 0x7b
const OPEN_ARRAY = 0x5b
const CLOSE_OBJECT = 0x7d
const CLOSE_ARRAY = 0x5d

/**
 * Keys in one text, repeated ones too, and objects: parsing keeps each key that differs in memory and gives every
 * object, be it empty, some room, so that hundreds of thousands take a second.
 */
const MOST = 100_000

/** Arrays in one text. They cost less, and lists of points or boxes have many. */
const MAX_ARRAYS = 200_000

/**
 * Whether JSON.parse may be given the bytes: no deeper than what can be written again, and with no more keys, objects
 * and arrays than it reads quickly. Says nothing about their grammar.
 */
export const isWithinJsonBounds = (bytes: Uint8Array): boolean => {
  let depth = 0
  let keys = 0
  let objects = 0
  let arrays = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) at = endOfString(bytes, at)
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (++depth > MAX_DEPTH || (byte === OPEN_OBJECT ? ++objects > MOST : ++arrays > MAX_ARRAYS)) return false
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--
    else if (byte === COLON && ++keys > MOST) return false
  }
  return true
}

/** Whether objects and arrays are nested deeper than `most` anywhere in a JSON text. Says nothing about its grammar. */
export const isDeeperThan = (bytes: Uint8Array, most: number): boolean => {
  let depth = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) at = endOfString(bytes, at)
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (++depth > most) return true
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--
  }
  return false
}

/** Where the closing quote of a string is, or the end of the text. */
const endOfString = (bytes: Uint8Array, start: number): number => {
  let at = start + 1
  for (; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++
  return at
}
