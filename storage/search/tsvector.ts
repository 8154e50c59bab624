import { hash } from 'node:crypto'

// Builds the exact input for PostgreSQL's search: its own parser would split and fold words differently.

/** Neither a letter nor a digit, so no word of a text or of a user starts with it. */
export const MARK = '\u{e000}'

/** The weight of a word by its field: A is the highest, D the lowest. */
export type Weight = 'A' | 'B' | 'C' | 'D'
export type Field = { readonly words: readonly string[]; readonly weight: Weight }

/**
 * The words of a row as the bytes of a tsvector. `parts` is null if the tsvector contains the position of every word.
 * Otherwise it is the text of an array of tsvectors, one per part of the row, which contain the positions. Phrases are
 * searched there.
 */
export type Vectors = { readonly words: Buffer; readonly parts: string | null }

/** PostgreSQL stores positions up to 16,383, and 255 per word; it drops any others silently. */
const MAX_PLACES = 16_000
const MAX_OF_ONE = 255

/**
 * The maximum number of tokens in a phrase. Parts overlap by one token less, so that each phrase is complete in one
 * part.
 */
export const PHRASE_TOKENS = 64

/** PostgreSQL allows 2,046 bytes of UTF-8 per lexeme: a longer word is cut into several. */
const SEGMENT_BYTES = 1900

/** A UTF-16 unit has at most three bytes in UTF-8. */
const isShort = (word: string): boolean => word.length * 3 <= SEGMENT_BYTES

/**
 * The lexemes of a word; usually one. In a long word, each lexeme but the last ends with a mark. Each but the first
 * starts with a digest of everything before it. So the last one alone identifies the word, and prefixes can be
 * searched.
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

/** The one lexeme that identifies a whole word. */
export const wordLexeme = (word: string): string => lexemesOf(word).at(-1) ?? word

/** Words only contain letters and digits, and marks are neither: nothing needs escaping. */
const quoted = (lexeme: string): string => `'${lexeme}'`

/** A tsquery for one whole word. */
export const wordQuery = (word: string): string => quoted(wordLexeme(word))

/** A tsquery for words with this prefix. */
export const beginningQuery = (beginning: string): string => `${quoted(wordLexeme(beginning))}:*`

const WEIGHTS: Readonly<Record<Weight, number>> = { A: 3, B: 2, C: 1, D: 0 }
const weighedPlace = (weight: Weight, place: number): number => (WEIGHTS[weight] << 14) | place

/**
 * Lexemes with their positions. The two bits above a position are the weight of its field, as in the server's format.
 */
type Placed = Map<string, number[]>

const withoutPlaces = (tokens: readonly string[]): Placed => new Map(tokens.map((token) => [token, []]))

/** The vectors of a row: its fields in order, plus tokens without a position. No phrase can span two fields. */
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
    // An unused position separates the fields.
    if (words.length > 0) place++
    if (place > MAX_PLACES) isWhole = false
    if (!isWhole) return { words: encoded(unplaced(fields, tokens)), parts: partsOf(fields) }
  }
  return { words: encoded(placed), parts: null }
}

/**
 * Each word once. A word needs a position to have a weight, and a tsvector is limited to 1 MB. So only the first words
 * get one, which are in the short fields.
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

/** For these characters the orders of UTF-16 and UTF-8 differ. */
const SURROGATE = /[\ud800-\udfff]/

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** The buffer in which vectors are built; it grows to the longest one. */
let scratch = Buffer.alloc(64 * 1024)

/**
 * A tsvector in the server's binary format: number of lexemes; then each lexeme with a zero byte, the number of
 * positions, and the positions. Lexemes are in the server's order. Otherwise the server sorts them and stores other
 * bytes than for the same vector as text.
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

/** Writes a text character by character, since most are short ASCII. Returns the end position. */
const written = (text: string, from: number): number => {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit > 127) return from + scratch.write(text, from)
    scratch[from + i] = unit
  }
  return from + text.length
}

/** The array text of tsvectors, one per part. */
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

/** As many words from `from` on as one tsvector can store with every position. */
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
