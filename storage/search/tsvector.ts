import { hash } from 'node:crypto'

// What PostgreSQL is given to search, made here to the letter: its own parser would split and fold words otherwise.

/** No letter and no digit: what begins with it is no word of a text or of a user. */
export const MARK = '\u{e000}'

/** A word counts by the field it stands in: A most, D least. */
export type Weight = 'A' | 'B' | 'C' | 'D'
export type Field = { readonly words: readonly string[]; readonly weight: Weight }

/**
 * The words of a row as the bytes of a tsvector. `parts` is null where that holds the place of every word; else it is
 * the text of an array of tsvectors, one for each stretch of the row, that hold the places among them: there phrases
 * are looked for.
 */
export type Vectors = { readonly words: Buffer; readonly parts: string | null }

/** PostgreSQL keeps places up to 16,383, and 255 of one word; what is beyond is dropped without a word. */
const MAX_PLACES = 16_000
const MAX_OF_ONE = 255

/** Tokens that a phrase may have: stretches overlap by one less, so that each phrase is whole in one. */
export const PHRASE_TOKENS = 64

/** Bytes of UTF-8 that one lexeme may have are 2,046: a longer word is cut into several. */
const SEGMENT_BYTES = 1900

/** A UTF-16 unit is three bytes at most. */
const isShort = (word: string): boolean => word.length * 3 <= SEGMENT_BYTES

/**
 * A word as lexemes: most are one. Of a long word each but the last ends in a mark, and each but the first begins with
 * a digest of all before it, so that the last one alone tells the word, and beginnings of it can be looked for.
 */
const lexemesOf = (word: string): readonly string[] => {
  if (isShort(word) || Buffer.byteLength(word) <= SEGMENT_BYTES) return [word]
  const segments: string[] = []
  let segment = ''
  let bytes = 0
  for (const point of word) {
    const size = Buffer.byteLength(point)
    if (bytes + size > SEGMENT_BYTES) {
      segments.push(segment)
      segment = ''
      bytes = 0
    }
    segment += point
    bytes += size
  }
  segments.push(segment)
  let link = ''
  return segments.map((each, i) => {
    const lexeme = `${link}${each}${i === segments.length - 1 ? '' : MARK}`
    link = `${MARK}+${hash('sha256', link + each, 'hex').slice(0, 20)}`
    return lexeme
  })
}

/** The one lexeme that tells a whole word. */
export const wordLexeme = (word: string): string => lexemesOf(word).at(-1) ?? word

/** Words hold letters and digits alone, and marks are neither: nothing needs escaping. */
const quoted = (lexeme: string): string => `'${lexeme}'`

/** A tsquery for one whole word. */
export const wordQuery = (word: string): string => quoted(wordLexeme(word))

/** A tsquery for words that begin so. */
export const beginningQuery = (beginning: string): string => `${quoted(wordLexeme(beginning))}:*`

const WEIGHTS: Readonly<Record<Weight, number>> = { A: 3, B: 2, C: 1, D: 0 }
const weighedPlace = (weight: Weight, place: number): number => (WEIGHTS[weight] << 14) | place

/**
 * Lexemes with their places, each with the weight of its field, as the server keeps it: in two bits above the place.
 */
type Placed = Map<string, number[]>

const withoutPlaces = (tokens: readonly string[]): Placed => new Map(tokens.map((token) => [token, []]))

/**
 * The vectors of a row: its fields in order, no phrase reaching from one into the next, and tokens that stand in no
 * place.
 */
export const vectorsOf = (fields: readonly Field[], tokens: readonly string[]): Vectors => {
  const placed = withoutPlaces(tokens)
  let place = 0
  let isWhole = true
  const put = (lexeme: string, weighed: number): void => {
    const places = placed.get(lexeme)
    if (!places) placed.set(lexeme, [weighed])
    else if (places.push(weighed) > MAX_OF_ONE) isWhole = false
  }
  for (const { words, weight } of fields) {
    for (const word of words) {
      const weighed = weighedPlace(weight, ++place)
      if (isShort(word)) put(word, weighed)
      else for (const lexeme of lexemesOf(word)) put(lexeme, weighed)
    }
    // A place left out keeps the fields apart.
    if (words.length > 0) place++
    if (place > MAX_PLACES) isWhole = false
    if (!isWhole) return { words: encoded(unplaced(fields, tokens)), parts: partsOf(fields) }
  }
  return { words: encoded(placed), parts: null }
}

/**
 * Each word once. The weight of a word stands at a place, and a tsvector has 1 MB for all: those of the first words are
 * kept, which stand in the short fields.
 */
const unplaced = (fields: readonly Field[], tokens: readonly string[]): Placed => {
  const placed = withoutPlaces(tokens)
  let places = 0
  for (const { words, weight } of fields)
    for (const word of words)
      for (const lexeme of lexemesOf(word))
        if (!placed.has(lexeme))
          placed.set(lexeme, weight === 'D' || ++places > MAX_PLACES ? [] : [weighedPlace(weight, 1)])
  return placed
}

/** UTF-16 orders these otherwise than UTF-8 does. */
const SURROGATE = /[\ud800-\udfff]/

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** Where vectors are put together; it grows with the longest. */
let scratch = Buffer.alloc(64 * 1024)

/**
 * A tsvector as the server takes it: how many lexemes, then each with a zero behind it, how many places, and the
 * places. In the order of the server, which else sorts them and keeps them in other bytes than those of the same vector
 * in text.
 */
const encoded = (placed: Placed): Buffer => {
  const lexemes = [...placed.keys()].sort()
  if (lexemes.some((lexeme) => SURROGATE.test(lexeme))) lexemes.sort(byBytes)
  let most = 4
  for (const [lexeme, places] of placed) most += lexeme.length * 3 + 3 + places.length * 2
  if (scratch.length < most) scratch = Buffer.alloc(most * 2)
  let at = scratch.writeInt32BE(lexemes.length)
  const putTwo = (value: number): void => {
    scratch[at++] = value >>> 8
    scratch[at++] = value
  }
  for (const lexeme of lexemes) {
    at = written(lexeme, at)
    scratch[at++] = 0
    const places = placed.get(lexeme) ?? []
    putTwo(places.length)
    for (const place of places) putTwo(place)
  }
  return Buffer.from(scratch.subarray(0, at))
}

/** Writes a text letter by letter, since most are short and of ASCII. Answers where it ends. */
const written = (text: string, from: number): number => {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit > 127) return from + scratch.write(text, from)
    scratch[from + i] = unit
  }
  return from + text.length
}

/** Array text of a tsvector for each stretch. */
const partsOf = (fields: readonly Field[]): string => {
  const parts: string[] = []
  for (const { words } of fields) {
    for (let from = 0; from < words.length;) {
      const { text, to } = part(words, from)
      parts.push(`"${text}"`)
      if (to === words.length) break
      from = to - (PHRASE_TOKENS - 1)
    }
  }
  return `{${parts.join(',')}}`
}

/** As many words from one on as a tsvector holds every place of. */
const part = (words: readonly string[], from: number): { text: string; to: number } => {
  const placed = new Map<string, { places: string; count: number }>()
  const end = Math.min(words.length, from + MAX_PLACES)
  let to = from
  for (; to < end; to++) {
    const lexemes = lexemesOf(words[to] ?? '')
    if (lexemes.some((lexeme) => placed.get(lexeme)?.count === MAX_OF_ONE)) break
    for (const lexeme of lexemes) {
      const known = placed.get(lexeme)
      if (!known) placed.set(lexeme, { places: String(to - from + 1), count: 1 })
      else {
        known.count++
        known.places += `,${to - from + 1}`
      }
    }
  }
  return { text: Array.from(placed, ([lexeme, { places }]) => `${quoted(lexeme)}:${places}`).join(' '), to }
}
