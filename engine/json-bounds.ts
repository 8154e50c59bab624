import { MAX_DEPTH } from './scan-document.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a

/** Keys in one text, repeated ones too: parsing keeps each that differs in memory, so that hundreds of thousands take a second. */
const MOST_KEYS = 100_000

/** Whether JSON.parse may be given the bytes: no deeper than what can be written again, and with no more keys than it reads quickly. Says nothing about their grammar. */
export const isWithinJsonBounds = (bytes: Uint8Array): boolean => {
  let depth = 0
  let keys = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      for (at++; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > MAX_DEPTH) return false
    } else if (byte === 0x7d || byte === 0x5d) depth--
    else if (byte === COLON && ++keys > MOST_KEYS) return false
  }
  return true
}
