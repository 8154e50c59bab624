import { decomposed, foldSearched, lowerCased } from './fold.ts'
import type { Term } from './tokenizer.ts'

// What a search finds from any part of it, and not only from the beginnings of words. The index has such text as grams: at each
// character, it and the next one or two. A part of the text is then a phrase of grams. Ordinary words have no grams.

/** Marks that no word of a text or of a user contains: the first character of a gram, and of another form of a whole word. */
const GRAM = '\u00a7'
const FORM = '\u00b6'

/** Symbols and emoji. The lines and blocks of drawn tables and bars are none. */
const SYMBOL = String.raw`[\p{S}--[\x00-\x7f\u2500-\u259f]]`

/** Scripts with thousands of characters: two of them are as rare as three letters of an alphabet. */
const CHARACTERS = String.raw`\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{scx=Yi}`

/** Scripts without spaces between words, or with articles, particles and prepositions written together with a word. */
const WITHOUT_BREAKS = String.raw`[\p{L}&&[${CHARACTERS}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tibetan}\p{scx=Javanese}\p{scx=Arabic}\p{scx=Hebrew}\p{scx=Syriac}]]`

const KINDS = {
  /** Letters, digits and symbols in a row are a stretch. */
  stretch: new RegExp(String.raw`[\p{L}\p{N}${SYMBOL}]`, 'v'),
  anywhere: new RegExp(`${WITHOUT_BREAKS}|${SYMBOL}`, 'v'),
  inPairs: new RegExp(`[[${CHARACTERS}]${SYMBOL}+#]`, 'v'),
  /** What makes a stretch worth a look: most words have none of it. */
  hint: new RegExp(`[0-9+#ßẞ]|${WITHOUT_BREAKS}|${SYMBOL}`, 'v'),
}
const STRETCH = 1
const ANYWHERE = 2
const IN_PAIRS = 4
const HINT = 8
const KNOWN = 16

const kindOf = (character: string): number =>
  (KINDS.stretch.test(character) ? STRETCH : 0) |
  (KINDS.anywhere.test(character) ? ANYWHERE : 0) |
  (KINDS.inPairs.test(character) ? IN_PAIRS : 0) |
  (KINDS.hint.test(character) ? HINT : 0) |
  KNOWN

/** Kinds of characters, filled on demand: a look into a table costs a tenth of a regular expression. */
const kinds = new Uint8Array(0x2_00_00)

/** The kinds of a code point, as bits. */
const kindAt = (point: number): number => {
  if (point >= kinds.length) return kindOf(String.fromCodePoint(point))
  const known = kinds[point] ?? 0
  return known === 0 ? (kinds[point] = kindOf(String.fromCodePoint(point))) : known
}

const LAST_UNIT = 0xffff
const lengthOf = (point: number): number => (point > LAST_UNIT ? 2 : 1)
const isSign = (unit: number): boolean => unit === 0x2b || unit === 0x23
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff
const pointAt = (text: string, at: number): number => text.codePointAt(at) ?? 0

/** The end of a stretch that starts at an offset, and of the + and # after it, which are parts of names such as C++ and C#. */
const stretchEnd = (text: string, from: number): number => {
  let end = from
  while (end < text.length) {
    const point = pointAt(text, end)
    if ((kindAt(point) & STRETCH) === 0) break
    end += lengthOf(point)
  }
  if (end > from) while (isSign(text.charCodeAt(end))) end++
  return end
}

/** The start of the stretch that ends at an offset, not before `bound`. */
const stretchStart = (text: string, to: number, bound: number): number => {
  let start = to
  while (start > bound) {
    const before = start - (isLowSurrogate(text.charCodeAt(start - 1)) && start - 2 >= bound ? 2 : 1)
    const point = pointAt(text, before)
    if ((kindAt(point) & STRETCH) === 0 || before + lengthOf(point) !== start) break
    start = before
  }
  return start
}

/** The next hint in a text. A class of few characters is found several times as fast as by reading each character. */
const ASCII_HINT = /[0-9+#]/g
const ANY_HINT = /[0-9+#]|[^\0-\x7f]/g

/** The stretches of a decomposed text that have a hint. */
function* hintedStretches(text: string): Generator<string> {
  // In UTF-8, ASCII alone has as many bytes as units.
  const hint = Buffer.byteLength(text) === text.length ? ASCII_HINT : ANY_HINT
  let last = 0
  for (let from = 0; ;) {
    hint.lastIndex = from
    const found = hint.exec(text)
    if (!found) return
    const at = found.index
    const point = pointAt(text, at)
    from = at + lengthOf(point)
    if ((kindAt(point) & HINT) === 0) continue
    const start = stretchStart(text, at, last)
    const end = stretchEnd(text, start)
    // A sign after no word is no stretch.
    if (end === start) continue
    from = last = end
    yield text.slice(start, end)
  }
}

/** The kinds of all characters together. */
const kindsIn = (text: string): number => {
  let all = 0
  for (let at = 0; at < text.length;) {
    const point = pointAt(text, at)
    all |= kindAt(point)
    at += lengthOf(point)
  }
  return all
}

const SIGNED = /[+#]$/

/** Ids and hashes: letters of one case with digits. Text in base64 is none, because it has letters of both cases. */
const MIN_ID = 6
const MAX_WORD = 64
const ID = /^(?:(?=[0-9]*[a-z])[a-z]*[0-9][a-z0-9]*|(?=[0-9]*[A-Z])[A-Z]*[0-9][A-Z0-9]*)$/

/** Whether a stretch, which is not lower case yet, is found from any part of it. */
const isFoundAnywhere = (stretch: string): boolean =>
  (stretch.length <= MAX_WORD && (SIGNED.test(stretch) || (stretch.length >= MIN_ID && ID.test(stretch)))) ||
  (kindsIn(stretch) & ANYWHERE) !== 0

/** A stretch of a text that has grams, folded; or a whole word with ß, in its form with ss. */
type Part = { readonly text: string; readonly isForm: boolean }

const SHARP_S = /[ßẞ]/
const WORD = /[\p{L}\p{N}]+/gu

/** The parts of a text in order. */
function* partsIn(text: string): Generator<Part> {
  // A text of ASCII is its own decomposition.
  for (const stretch of hintedStretches(Buffer.byteLength(text) === text.length ? text : decomposed(text))) {
    if (isFoundAnywhere(stretch)) yield { text: lowerCased(stretch), isForm: false }
    if (SHARP_S.test(stretch))
      for (const word of stretch.match(WORD) ?? [])
        if (SHARP_S.test(word)) yield { text: lowerCased(word), isForm: true }
  }
}

const SEPARATOR = /[^a-z0-9\x80-\uffff]/g
const wide = (separator: string): string =>
  separator > ' ' && separator < '\x7f' ? String.fromCharCode(separator.charCodeAt(0) + 0xfee0) : '\u3000'

/** A folded text as one word: a sign would separate words in the index. No folded text has the wide form of a sign. */
const asWord = (text: string): string => text.replace(SEPARATOR, wide)

/** The number of characters of a gram that starts with a character. */
const gramSize = (first: number): number => ((kindAt(first) & IN_PAIRS) === 0 ? 3 : 2)

/** The grams at each character of a folded text. The last ones are shorter, so that no phrase continues in other text. */
const gramsOf = (text: string): string[] => {
  const word = asWord(text)
  const grams: string[] = []
  for (let at = 0; at < text.length;) {
    const first = pointAt(text, at)
    let end = at
    for (let left = gramSize(first); left > 0 && end < text.length; left--) end += lengthOf(pointAt(text, end))
    grams.push(GRAM + word.slice(at, end))
    at += lengthOf(first)
  }
  return grams
}

/** The characters of a part that count. With more, a phrase would have more grams than the index can find. */
const MAX_CHARACTERS = 64

/** The beginning of a folded part that counts. */
export const searchedPart = (text: string): string => Array.from(text).slice(0, MAX_CHARACTERS).join('')

/** The phrase of grams that finds a folded part; the last gram is searched as a beginning. */
export const gramTerm = (text: string): Term => {
  const part = searchedPart(text)
  const sizes = Array.from(part, (character) => gramSize(pointAt(character, 0)))
  const last = sizes.findIndex((size, n) => n + size >= sizes.length)
  return gramsOf(part).slice(0, last + 1)
}

/** The word of the index for a word with ß, from its folded form. Searched as a beginning. */
export const formTerm = (text: string): Term => [`${FORM}${text}`]

/**
 * Maximum number of bytes of grams and ids of one case. With the other words of a case, a tsvector can store this many bytes,
 * so a search finds the same cases in both databases.
 */
export const PARTS_BYTES = 384 * 1024

/** Maximum number of UTF-16 units of a text of which the parts are read. */
const MAX_UNITS = 1024 * 1024

/** Maximum length of an id that is found, in UTF-16 units. */
export const MAX_ID_UNITS = 400

/** An id as searches compare it. */
export const foldId = (id: string): string => foldSearched(id.toWellFormed())

/** The beginning of an id as one word of the index, or the whole id: a mark at its end makes it different from a beginning. */
export const idTerm = (folded: string, isWhole: boolean): Term => [
  `${FORM}${FORM}${asWord(folded)}${isWhole ? FORM : ''}`,
]

/**
 * The words of the index that find a run or a case by its ids and by parts of its texts, as text with spaces. Each stretch of
 * text is in it once, because a search asks only whether it is there.
 */
export const partWords = (ids: readonly string[], texts: readonly string[]): string => {
  const stored: string[] = []
  let bytes = 0
  /** Adds words, or as many of the first as there is space for. Returns whether all were added. */
  const add = (words: readonly string[]): boolean => {
    const text = words.join(' ')
    const size = Buffer.byteLength(text) + 1
    if (bytes + size <= PARTS_BYTES) {
      bytes += size
      stored.push(text)
      return true
    }
    for (const word of words) {
      bytes += Buffer.byteLength(word) + 1
      if (bytes > PARTS_BYTES) break
      stored.push(word)
    }
    return false
  }
  for (const id of new Set(ids)) if (id !== '' && id.length <= MAX_ID_UNITS) add(idTerm(foldId(id), true))
  const known = new Set<string>()
  for (const text of texts)
    for (const { text: part, isForm } of partsIn(text.length <= MAX_UNITS ? text : text.slice(0, MAX_UNITS))) {
      const key = isForm ? `${FORM}${part}` : part
      if (known.has(key)) continue
      known.add(key)
      if (!add(isForm ? [key] : gramsOf(part))) return stored.join(' ')
    }
  return stored.join(' ')
}

/** A word of a query in the pieces that the index has: what is found from any part of a word, and other words in a row. */
export type QueryPiece = { readonly text: string; readonly isAnywhere: boolean }

/** The pieces of a word of a query, in order; the words between two of the former are one piece. */
export const queryPieces = (word: string): QueryPiece[] => {
  const plain = decomposed(word)
  const pieces: QueryPiece[] = []
  let rest = 0
  for (let at = 0; at < plain.length;) {
    const end = stretchEnd(plain, at)
    if (end === at) {
      at += lengthOf(pointAt(plain, at))
      continue
    }
    const stretch = plain.slice(at, end)
    // A sign within a word separates its parts, as all punctuation does.
    const isNamed = SIGNED.test(stretch) && !(end < plain.length && (kindAt(pointAt(plain, end)) & STRETCH) !== 0)
    if (isNamed || (kindsIn(stretch) & ANYWHERE) !== 0) {
      if (rest < at) pieces.push({ text: plain.slice(rest, at), isAnywhere: false })
      pieces.push({ text: lowerCased(stretch), isAnywhere: true })
      rest = end
    }
    at = end
  }
  if (rest < plain.length) pieces.push({ text: plain.slice(rest), isAnywhere: false })
  return pieces
}

/** Whether a folded word of a query may be a part of an id or a hash. */
export const isPartOfId = (word: string): boolean => /^(?=.*[0-9])[a-z0-9]{4,64}$/.test(word)
