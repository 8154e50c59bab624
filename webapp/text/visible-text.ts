/**
 * A piece of text as it is (`name` is null), or a mark (`name` describes it). A mark replaces characters that are
 * invisible or would move the text around them.
 */
export type Piece = { readonly text: string; readonly name: string | null }

// Controls except tab and line feed, format characters, lone surrogates, line separators, fillers, variation selectors
// and noncharacters. Format characters that are drawn are not matched, such as the signs over numbers in Arabic.
const INVISIBLE =
  /(?:[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Variation_Selector}\p{Noncharacter_Code_Point}\u115f\u1160\u3164\uffa0]|\u034f|\u17b4|\u17b5)(?<![\t\n\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}])/gu

// Characters that are drawn as one and therefore stay as they are: joined emoji, flags of regions, emoji with a
// selector, and joiners inside words of scripts that use them.
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

// Few fonts have the pictures of control characters, so their abbreviations are shown.
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

const characterName = (code: number): string => {
  const name = NAMES[code]
  // Tag characters: invisible to people, but read by a model.
  if (code > 0xe0000 && code < 0xe007f)
    return `U+${code.toString(16).toUpperCase()}, tag ${code === 0xe0020 ? 'space' : String.fromCharCode(code - 0xe0000)}`
  const hex = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  return name === undefined ? `${hex}, not visible` : `${hex}, ${name}`
}

const hasInvisible = new RegExp(INVISIBLE.source, 'u')
const hasJoiners = /\u200c|\u200d|\ufe0e|\ufe0f|[\u{e0020}-\u{e007f}]/u
const drawnOrInvisible = new RegExp(`(?<drawn>${DRAWN.source})|${INVISIBLE.source}`, 'gv')

/**
 * Splits a text into pieces that show it as stored. Invisible characters become marks; the same one repeated becomes a
 * single mark. `\r\n` becomes a line feed. No piece contains a character that changes the direction of other text.
 */
export const visiblePieces = (text: string): Piece[] => {
  const lines = text.replaceAll('\r\n', '\n')
  if (!hasInvisible.test(lines)) return lines === '' ? [] : [{ text: lines, name: null }]
  const pieces: Piece[] = []
  let plainStart = 0
  let code = -1
  let count = 0
  const endRun = (): void => {
    if (count > 0) pieces.push({ text: count > 1 ? `${label(code)}×${count}` : label(code), name: characterName(code) })
    count = 0
  }
  const search = hasJoiners.test(lines) ? drawnOrInvisible : INVISIBLE
  // Not matchAll: it copies the expression, and compiling all emoji again takes longer than the search.
  search.lastIndex = 0
  for (let match = search.exec(lines); match; match = search.exec(lines)) {
    if (match.groups?.['drawn'] !== undefined) continue
    const foundCode = match[0].codePointAt(0) ?? 0
    const adjoins = match.index === plainStart
    if (!adjoins || foundCode !== code) endRun()
    if (!adjoins) pieces.push({ text: lines.slice(plainStart, match.index), name: null })
    code = foundCode
    count += 1
    plainStart = match.index + match[0].length
  }
  endRun()
  if (plainStart < lines.length) pieces.push({ text: lines.slice(plainStart), name: null })
  return pieces
}

/** The pieces of a text, joined to plain text for a title or a name: `pay⟨U+202E⟩txt.exe`, `⟨NUL×3⟩`. */
export const visibleText = (text: string): string =>
  visiblePieces(text)
    .map((piece) => (piece.name === null ? piece.text : `⟨${piece.text}⟩`))
    .join('')

/** Like `visibleText`, for a single line: white space becomes one space, and is left out at both ends. */
export const visibleLine = (text: string): string => visibleText(text.replace(/[ \t-\r]+/g, ' ').replace(/^ | $/g, ''))
