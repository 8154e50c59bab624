const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const OPEN_BRACKET = 0x5b
const CLOSE_BRACE = 0x7d
const CLOSE_BRACKET = 0x5d
const COLON = 0x3a
const SPACE = new Set(Buffer.from(' \t\n\r'))
const UNICODE_ESCAPE = 0x75

/** 1 for each byte that needs no escape in a string. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
)

/** 1 for each byte that may follow a backslash, except `u`. */
const ESCAPED = Uint8Array.from({ length: 256 }, (_, byte) => ('"\\/bfnrt'.includes(String.fromCharCode(byte)) ? 1 : 0))
/** 1 for each byte that is a hexadecimal digit. */
const HEX = Uint8Array.from({ length: 256 }, (_, byte) => (/[0-9a-fA-F]/.test(String.fromCharCode(byte)) ? 1 : 0))
const isHex = (byte: number | undefined): boolean => HEX[byte ?? 0] === 1

/** The length of the longest UTF-8 character. */
const MAX_CHARACTER_BYTES = 4

/**
 * Cuts the long strings of a JSON text, for callers that need only their first code points. Keys are never cut.
 * Directly in the outermost object, only the values of the keys in `outermost` are cut. The result parses if and only
 * if the whole text does: text that looks wrong is returned unchanged, and JSON.parse decides. For text with few
 * escapes JSON.parse takes twice as long as this pass. The bytes must be UTF-8.
 */
export const shortenJson = (text: Buffer, codePoints: number, outermost: ReadonlySet<string>): Buffer => {
  const maxSteps = codePoints * MAX_CHARACTER_BYTES
  if (text.length <= maxSteps) return text
  const parts: Buffer[] = []
  let from = 0
  let depth = 0
  // The last string at the outermost level. When a value begins, this is the key of the value.
  let keyFrom = 0
  let keyTo = 0
  for (let offset = 0; offset < text.length; offset++) {
    const byte = text[offset]
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--
    if (byte !== QUOTE) continue

    const start = ++offset
    let steps = 0
    let cut = 0
    for (;;) {
      const plain = offset
      while (PLAIN[text[offset] ?? 0] === 1) offset++
      steps += offset - plain
      if (cut === 0 && steps > maxSteps)
        cut = characterStart(text, Math.max(plain, offset - (steps - maxSteps)), offset)
      if (text[offset] === QUOTE) break
      // An escape; otherwise the end of the text or a character that no string may contain.
      const length = text[offset] === BACKSLASH ? escapeLength(text, offset) : 0
      if (length === 0) return text
      offset += length
      steps++
    }
    if (
      cut > 0 &&
      !isKey(text, offset) &&
      (depth > 1 || (depth === 1 && outermost.has(text.toString('latin1', keyFrom, keyTo))))
    ) {
      parts.push(text.subarray(from, cut))
      from = offset
    } else if (depth === 1) {
      keyFrom = start
      keyTo = offset
    }
  }
  return parts.length === 0 ? text : Buffer.concat([...parts, text.subarray(from)])
}

/**
 * Returns the first offset in a run of plain bytes where a character starts, or 0. It is never the offset of an escape,
 * which may be the second half of a surrogate pair.
 */
const characterStart = (text: Buffer, from: number, to: number): number => {
  for (let offset = from; offset < to; offset++) if (((text[offset] ?? 0) & 0xc0) !== 0x80) return offset
  return 0
}

/** Whether a colon follows the quote. Keys are not cut: two long keys with the same beginning would become equal. */
const isKey = (text: Buffer, quote: number): boolean => {
  let offset = quote + 1
  while (SPACE.has(text[offset] ?? 0)) offset++
  return text[offset] === COLON
}

const escapeLength = (text: Buffer, offset: number): number => {
  const kind = text[offset + 1] ?? 0
  if (ESCAPED[kind] === 1) return 2
  return kind === UNICODE_ESCAPE &&
    isHex(text[offset + 2]) &&
    isHex(text[offset + 3]) &&
    isHex(text[offset + 4]) &&
    isHex(text[offset + 5])
    ? 6
    : 0
}
