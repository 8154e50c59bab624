/**
 * A piece of text as it is, or a mark that stands for characters that would not be seen, or would move what is around
 * them.
 */
export type Piece = { readonly text: string; readonly name: string | null }

// Controls but tab and line feed, format characters, lone surrogates, separators of lines, fillers, selectors, and what
// is no character at all. Signs that Unicode calls format characters and that are drawn all the same (over numbers, in
// Arabic) are left.
const UNSEEN =
  /(?:[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Variation_Selector}\p{Noncharacter_Code_Point}\u115f\u1160\u3164\uffa0]|\u034f|\u17b4|\u17b5)(?<![\t\n\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}])/gu

// Joined emoji, flags of regions, emoji with a selector, and joiners inside words of scripts that are written with
// them: drawn as one, so left alone.
const DRAWN =
  /(?=\p{Emoji})\p{RGI_Emoji}|[\p{Extended_Pictographic}0-9#*](?:\ufe0e|\ufe0f)\u20e3?|(?<=[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Mongolian}])(?:\u200c|\u200d)(?=[\p{L}\p{M}])/v

const NAMES: Readonly<Record<number, string>> = {
  0x00: 'null',
  0x07: 'bell',
  0x08: 'backspace',
  0x0d: 'carriage return',
  0x1b: 'escape',
  0x7f: 'delete',
  0xad: 'soft hyphen',
  0x061c: 'Arabic letter mark',
  0x200b: 'zero width space',
  0x200c: 'zero width non-joiner',
  0x200d: 'zero width joiner',
  0x200e: 'left-to-right mark',
  0x200f: 'right-to-left mark',
  0x2028: 'line separator',
  0x2029: 'paragraph separator',
  0x202a: 'left-to-right embedding',
  0x202b: 'right-to-left embedding',
  0x202c: 'pop directional formatting',
  0x202d: 'left-to-right override',
  0x202e: 'right-to-left override',
  0x2060: 'word joiner',
  0x2066: 'left-to-right isolate',
  0x2067: 'right-to-left isolate',
  0x2068: 'first strong isolate',
  0x2069: 'pop directional isolate',
  0xfeff: 'byte order mark',
}

// The pictures of control characters are in few fonts; their abbreviations are in all.
const CONTROLS = [
  'NUL',
  'SOH',
  'STX',
  'ETX',
  'EOT',
  'ENQ',
  'ACK',
  'BEL',
  'BS',
  'HT',
  'LF',
  'VT',
  'FF',
  'CR',
  'SO',
  'SI',
  'DLE',
  'DC1',
  'DC2',
  'DC3',
  'DC4',
  'NAK',
  'SYN',
  'ETB',
  'CAN',
  'EM',
  'SUB',
  'ESC',
  'FS',
  'GS',
  'RS',
  'US',
]

const label = (code: number): string => {
  const control = code === 0x7f ? 'DEL' : CONTROLS[code]
  if (control !== undefined) return control
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

const nameOf = (code: number): string => {
  const known = NAMES[code]
  // Letters that nobody sees and a model reads.
  if (code > 0xe0000 && code < 0xe007f)
    return `U+${code.toString(16).toUpperCase()}, tag ${code === 0xe0020 ? 'space' : String.fromCharCode(code - 0xe0000)}`
  const hex = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  return known === undefined ? `${hex}, not visible` : `${hex}, ${known}`
}

const hasUnseen = new RegExp(UNSEEN.source, 'u')
const hasJoiners = /\u200c|\u200d|\ufe0e|\ufe0f|[\u{e0020}-\u{e007f}]/u
const drawnOrUnseen = new RegExp(`(?<drawn>${DRAWN.source})|${UNSEEN.source}`, 'gv')

/**
 * Text in pieces, for showing it as stored: characters that are not seen become marks, several of the same in a row one
 * mark. Line ends of any kind stay line ends. The text of the pieces holds no character that changes the direction of
 * others.
 */
export const visiblePieces = (text: string): Piece[] => {
  const lines = text.replaceAll('\r\n', '\n')
  if (!hasUnseen.test(lines)) return lines === '' ? [] : [{ text: lines, name: null }]
  const pieces: Piece[] = []
  let plain = 0
  let code = -1
  let count = 0
  const endRun = (): void => {
    if (count > 0) pieces.push({ text: count > 1 ? `${label(code)}×${count}` : label(code), name: nameOf(code) })
    count = 0
  }
  const search = hasJoiners.test(lines) ? drawnOrUnseen : UNSEEN
  // Not matchAll: it copies the expression, and to compile all emoji again takes longer than the search.
  search.lastIndex = 0
  for (let match = search.exec(lines); match; match = search.exec(lines)) {
    if (match.groups?.['drawn'] !== undefined) continue
    const found = match[0].codePointAt(0) ?? 0
    const adjoins = match.index === plain
    if (!adjoins || found !== code) endRun()
    if (!adjoins) pieces.push({ text: lines.slice(plain, match.index), name: null })
    code = found
    count += 1
    plain = match.index + match[0].length
  }
  endRun()
  if (plain < lines.length) pieces.push({ text: lines.slice(plain), name: null })
  return pieces
}

/** The same where only a plain text can stand, a title or a name: `pay⟨U+202E⟩txt.exe`, `⟨NUL×3⟩`. */
export const visibleText = (text: string): string =>
  visiblePieces(text)
    .map((piece) => (piece.name === null ? piece.text : `⟨${piece.text}⟩`))
    .join('')

/** A text for a single line: ends of lines and tabs are spaces. */
export const visibleLine = (text: string): string => visibleText(text.replace(/[ \t-\r]+/g, ' ').replace(/^ | $/g, ''))
