const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const OPEN_BRACKET = 0x5b
const CLOSE_BRACE = 0x7d
const CLOSE_BRACKET = 0x5d
const COLON = 0x3a
const SPACE = new Set(Buffer.from(' \t\n\r'))
const UNICODE_ESCAPE = 0x75

/** 1 for each byte that stands for itself in a string. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
)

/** 1 for each byte that may follow a backslash, besides `u`. */
const ESCAPED = Uint8Array.from({ length: 256 }, (_, byte) => ('"\\/bfnrt'.includes(String.fromCharCode(byte)) ? 1 : 0))
/** 1 for each byte that is a hexadecimal digit. */
const HEX = Uint8Array.from({ length: 256 }, (_, byte) => (/[0-9a-fA-F]/.test(String.fromCharCode(byte)) ? 1 : 0))
const isHex = (byte: number | undefined): boolean => HEX[byte ?? 0] === 1

/** Bytes of the longest character. */
const MAX_BYTES = 4

/**
 * JSON text whose long strings are cut, all but keys, for who reads no more of each than its first code points; those
 * of the outermost object are cut under the named keys alone. It parses if and only if the whole does: whatever looks
 * wrong comes back as it is, for JSON.parse is the judge of the grammar, which for text of few escapes takes twice as
 * long as this pass. The bytes must be UTF-8.
 */
export const shortenJson = (text: Buffer, codePoints: number, outermost: ReadonlySet<string>): Buffer => {
  const most = codePoints * MAX_BYTES
  if (text.length <= most) return text
  const kept: Buffer[] = []
  let from = 0
  let depth = 0
  // The string seen last at the outermost level, which before a value is its key.
  let keyFrom = 0
  let keyTo = 0
  for (let at = 0; at < text.length; at++) {
    const byte = text[at]
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--
    if (byte !== QUOTE) continue

    const start = ++at
    let steps = 0
    let cut = 0
    for (;;) {
      const plain = at
      while (PLAIN[text[at] ?? 0] === 1) at++
      steps += at - plain
      if (cut === 0 && steps > most) cut = startFrom(text, Math.max(plain, at - (steps - most)), at)
      if (text[at] === QUOTE) break
      // An escape, or else the end or a character that no string may hold.
      const length = text[at] === BACKSLASH ? escapeLength(text, at) : 0
      if (length === 0) return text
      at += length
      steps++
    }
    if (
      cut > 0 &&
      !isKey(text, at) &&
      (depth > 1 || (depth === 1 && outermost.has(text.toString('latin1', keyFrom, keyTo))))
    ) {
      kept.push(text.subarray(from, cut))
      from = at
    } else if (depth === 1) {
      keyFrom = start
      keyTo = at
    }
  }
  return kept.length === 0 ? text : Buffer.concat([...kept, text.subarray(from)])
}

/**
 * The first place in a run of plain bytes where a character starts, or 0; never at an escape, which may be the second
 * half of a surrogate pair.
 */
const startFrom = (text: Buffer, from: number, to: number): number => {
  for (let at = from; at < to; at++) if (((text[at] ?? 0) & 0xc0) !== 0x80) return at
  return 0
}

/** Whether a colon follows the quote: of long keys that begin alike none may become another. */
const isKey = (text: Buffer, quote: number): boolean => {
  let at = quote + 1
  while (SPACE.has(text[at] ?? 0)) at++
  return text[at] === COLON
}

const escapeLength = (text: Buffer, at: number): number => {
  const kind = text[at + 1] ?? 0
  if (ESCAPED[kind] === 1) return 2
  return kind === UNICODE_ESCAPE &&
    isHex(text[at + 2]) &&
    isHex(text[at + 3]) &&
    isHex(text[at + 4]) &&
    isHex(text[at + 5])
    ? 6
    : 0
}
