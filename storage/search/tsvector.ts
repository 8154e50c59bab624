import { hash } from 'node:crypto'

// Builds the exact input for PostgreSQL's search: its own parser would split and fold words differently.

/** Neither a letter nor a digit, so no word of a text or of a user starts with it. */
export const MARK = '\u{e000}'

/** The tokens that name the run of a row start with it, and no other lexeme does. */
export const RUN_MARK = `${MARK}r`

/** The weight of a word by its field: A is the highest, D the lowest. */
export type Weight = 'A' | 'B' | 'C' | 'D'
export type Field = { readonly words: readonly string[]; readonly weight: Weight }

/**
 * The words of a row as the bytes of a tsvector. `parts` is null if this tsvector contains the position of every word.
 * Otherwise phrases are searched in `parts`: the text of an array of tsvectors with positions, one per part of the row.
 */
export type Vectors = { readonly words: Buffer; readonly parts: string | null }

/** Vectors without the tokens of their run, whose number is not known yet. These belong at byte `runAt` of `words`. */
export type OpenVectors = Vectors & { readonly runAt: number }

/** PostgreSQL stores positions up to 16,383, and 255 per word; it drops any others silently. */
const MAX_POSITIONS = 16_000
const MAX_POSITIONS_PER_WORD = 255

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
 * The lexemes of a word; usually one. A long word has several: all but the last end with a mark, and all but the first
 * start with a digest of everything before them. So the last lexeme alone identifies the word, and prefixes can be
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
  return segments.map((text, i) => {
    const lexeme = `${link}${text}${i === segments.length - 1 ? '' : MARK}`
    link = `${MARK}+${hash('sha256', link + text, 'hex').slice(0, 20)}`
    return lexeme
  })
}

/** The one lexeme that identifies a whole word. */
export const wordLexeme = (word: string): string => lexemesOf(word).at(-1) ?? word

/** Words only contain letters and digits, and marks are neither: nothing needs escaping. */
const quoted = (lexeme: string): string => `'${lexeme}'`

/** A tsquery for one whole word. */
export const wordQuery = (word: string): string => quoted(wordLexeme(word))

/** A tsquery for all words with this prefix. */
export const prefixQuery = (prefix: string): string => `${quoted(wordLexeme(prefix))}:*`

const WEIGHTS: Readonly<Record<Weight, number>> = { A: 3, B: 2, C: 1, D: 0 }
const weightPosition = (weight: Weight, position: number): number => (WEIGHTS[weight] << 14) | position

/**
 * Lexemes with their positions. The two bits above a position are the weight of its field, as in the server's format.
 */
type Positions = Map<string, number[]>

const emptyPositions = (tokens: readonly string[]): Positions => new Map(tokens.map((token) => [token, []]))

/**
 * The vectors of a row: its fields in order, plus tokens without a position. No phrase can span two fields. The tokens
 * of its run are added later, by `withRunTokens`.
 */
export const vectorsOf = (fields: readonly Field[], tokens: readonly string[]): OpenVectors => {
  const positionsOf = emptyPositions(tokens)
  let position = 0
  let fits = true
  const addPosition = (lexeme: string, weightedPosition: number): void => {
    const positions = positionsOf.get(lexeme)
    if (!positions) positionsOf.set(lexeme, [weightedPosition])
    else if (positions.push(weightedPosition) > MAX_POSITIONS_PER_WORD) fits = false
  }
  for (const { words, weight } of fields) {
    for (const word of words) {
      const weightedPosition = weightPosition(weight, ++position)
      if (isShort(word)) addPosition(word, weightedPosition)
      else for (const lexeme of lexemesOf(word)) addPosition(lexeme, weightedPosition)
    }
    // An unused position separates the fields.
    if (words.length > 0) position++
    if (position > MAX_POSITIONS) fits = false
    if (!fits) return { ...encode(firstPositions(fields, tokens)), parts: vectorParts(fields) }
  }
  return { ...encode(positionsOf), parts: null }
}

/**
 * The words without repetition. A word needs a position to have a weight, but a tsvector is limited to 1 MB. So only the
 * first words of fields other than D, which are short, get a position.
 */
const firstPositions = (fields: readonly Field[], tokens: readonly string[]): Positions => {
  const positionsOf = emptyPositions(tokens)
  let positions = 0
  for (const { words, weight } of fields)
    for (const word of words)
      for (const lexeme of lexemesOf(word))
        if (!positionsOf.has(lexeme))
          positionsOf.set(lexeme, weight === 'D' || ++positions > MAX_POSITIONS ? [] : [weightPosition(weight, 1)])
  return positionsOf
}

/** For these characters the orders of UTF-16 and UTF-8 differ. */
const SURROGATE = /[\ud800-\udfff]/

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** A tsvector begins with the number of its lexemes. */
const COUNT_BYTES = 4

/** The buffer in which vectors are built; it grows to the longest one. */
let scratch = Buffer.alloc(64 * 1024)

/**
 * A tsvector in the server's binary format: number of lexemes; then each lexeme with a zero byte, the number of
 * positions, and the positions. Lexemes are in the server's order: else the server would sort them, and the stored bytes
 * would differ from those of the same vector sent as text.
 */
const encode = (positionsOf: Positions): Pick<OpenVectors, 'words' | 'runAt'> => {
  const lexemes = [...positionsOf.keys()].sort()
  if (lexemes.some((lexeme) => SURROGATE.test(lexeme))) lexemes.sort(byBytes)
  let maxBytes = COUNT_BYTES
  for (const [lexeme, positions] of positionsOf) maxBytes += lexeme.length * 3 + 3 + positions.length * 2
  if (scratch.length < maxBytes) scratch = Buffer.alloc(maxBytes * 2)
  let offset = scratch.writeInt32BE(lexemes.length)
  const writeUint16 = (value: number): void => {
    scratch[offset++] = value >>> 8
    scratch[offset++] = value
  }
  let runAt: number | null = null
  for (const lexeme of lexemes) {
    if (runAt === null && isAfterRun(lexeme)) runAt = offset
    offset = writeText(lexeme, offset)
    scratch[offset++] = 0
    const positions = positionsOf.get(lexeme) ?? []
    writeUint16(positions.length)
    for (const position of positions) writeUint16(position)
  }
  return { words: Buffer.from(scratch.subarray(0, offset)), runAt: runAt ?? offset }
}

/** Whether the tokens of a run come before a lexeme in the server's order, in which a surrogate is after the mark. */
const isAfterRun = (lexeme: string): boolean => lexeme > RUN_MARK || SURROGATE.test(lexeme.charAt(0))

/** The words of a row with the tokens of its run. The bytes are those of a vector that was made of all of them. */
export const withRunTokens = ({ words, runAt }: OpenVectors, tokens: readonly string[]): Buffer => {
  const { words: run } = encode(emptyPositions(tokens))
  const all = Buffer.allocUnsafe(words.length + run.length - COUNT_BYTES)
  all.writeInt32BE(Buffer.from(words.buffer, words.byteOffset).readInt32BE() + tokens.length)
  all.set(words.subarray(COUNT_BYTES, runAt), COUNT_BYTES)
  all.set(run.subarray(COUNT_BYTES), runAt)
  all.set(words.subarray(runAt), runAt + run.length - COUNT_BYTES)
  return all
}

/** Writes a text character by character, since most are short ASCII. Returns the end position. */
const writeText = (text: string, from: number): number => {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit > 127) return from + scratch.write(text, from)
    scratch[from + i] = unit
  }
  return from + text.length
}

/** The array text of tsvectors, one per part. */
const vectorParts = (fields: readonly Field[]): string => {
  const parts: string[] = []
  for (const { words } of fields) {
    for (let from = 0; from < words.length;) {
      const { text, to } = nextPart(words, from)
      parts.push(`"${text}"`)
      if (to === words.length) break
      from = to - (PHRASE_TOKENS - 1)
    }
  }
  return `{${parts.join(',')}}`
}

/** The longest run of words, starting at `from`, that one tsvector can store with all positions. */
const nextPart = (words: readonly string[], from: number): { text: string; to: number } => {
  const positionsOf = new Map<string, { positions: string; count: number }>()
  const end = Math.min(words.length, from + MAX_POSITIONS)
  let to = from
  for (; to < end; to++) {
    const lexemes = lexemesOf(words[to] ?? '')
    if (lexemes.some((lexeme) => positionsOf.get(lexeme)?.count === MAX_POSITIONS_PER_WORD)) break
    for (const lexeme of lexemes) {
      const entry = positionsOf.get(lexeme)
      if (!entry) positionsOf.set(lexeme, { positions: String(to - from + 1), count: 1 })
      else {
        entry.count++
        entry.positions += `,${to - from + 1}`
      }
    }
  }
  return { text: Array.from(positionsOf, ([lexeme, { positions }]) => `${quoted(lexeme)}:${positions}`).join(' '), to }
}
