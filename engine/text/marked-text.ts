import { IS_WORD, type Assertion, type Part } from './regex-syntax.ts'

// RE2 knows the words of ASCII alone at `\b`. For other texts a marker stands before each character and at the end; it
// says what lies between its neighbours. Each part of a pattern that takes a character takes the marker behind it, and
// an assertion is a look-behind for a marker: a match starts and ends behind a marker, and still takes linear time.

// Noncharacters of Unicode, which no text contains for its own.
const FIRST_MARKER = 0xfdd0
const START = { inside: 0, line: 1, text: 2 } as const
const END = { inside: 0, line: 1, text: 2 } as const
const PLACES = 3

const markerOf = (isBoundary: boolean, start: number, end: number): string =>
  String.fromCharCode(FIRST_MARKER + (isBoundary ? 1 : 0) + 2 * (start + PLACES * end))

const MARKERS = [false, true].flatMap((isBoundary) =>
  Object.values(START).flatMap((start) =>
    Object.values(END).map((end) => ({ isBoundary, start, end, marker: markerOf(isBoundary, start, end) })),
  ),
)

const markersWith = (accepts: (marker: (typeof MARKERS)[number]) => boolean): string =>
  `[${MARKERS.filter(accepts)
    .map(({ marker }) => marker)
    .join('')}]`

const ANY = markersWith(() => true)
const BEHIND: Readonly<Record<Assertion, string>> = {
  b: markersWith(({ isBoundary }) => isBoundary),
  B: markersWith(({ isBoundary }) => !isBoundary),
  '^': markersWith(({ start }) => start !== START.inside),
  $: markersWith(({ end }) => end !== END.inside),
  A: markersWith(({ start }) => start === START.text),
  z: markersWith(({ end }) => end === END.text),
}

/** The pattern for marked texts. */
export const markedPattern = (parts: readonly Part[]): string => {
  const written = parts.map((part) => {
    if (part.kind === 'assertion') return `(?:(?<=${BEHIND[part.assertion]}))`
    return part.kind === 'character' ? `(?:${part.text}${ANY})` : part.text
  })
  return `(?<=${ANY})(?:${written.join('')})`
}

const WORD_BEYOND_ASCII = new RegExp(`(?![\\0-\\x7f])${IS_WORD.source}`, 'u')

/** Whether a text needs markers: in all others RE2 finds the same words. */
export const needsMarkers = (text: string): boolean => WORD_BEYOND_ASCII.test(text)

/** A text with markers. `offsets` has, for each offset in it, the offset in the plain text. */
export type MarkedText = { readonly text: string; readonly offsets: Int32Array }

/** Puts the markers into a text. */
export const markText = (plain: string): MarkedText => {
  const parts: string[] = []
  const offsets = new Int32Array(2 * plain.length + 2)
  let length = 0
  let at = 0
  let isAfterWord = false
  let start: number = START.text
  for (const character of plain) {
    const isWord = IS_WORD.test(character)
    const isLineEnd = character === '\n'
    parts.push(markerOf(isAfterWord !== isWord, start, isLineEnd ? END.line : END.inside), withoutMarkers(character))
    offsets.fill(at, length, length + 2)
    length += 1 + character.length
    at += character.length
    if (character.length > 1) offsets[length - 1] = at
    isAfterWord = isWord
    start = isLineEnd ? START.line : START.inside
  }
  parts.push(markerOf(isAfterWord, start, END.text))
  offsets.fill(at, length, length + 2)
  return { text: parts.join(''), offsets }
}

const LAST_NONCHARACTER = '\ufdef'

/** A character of the text itself that a marker looks like becomes a noncharacter that is no marker. */
const withoutMarkers = (character: string): string =>
  character >= '\ufdd0' && character < LAST_NONCHARACTER ? LAST_NONCHARACTER : character
