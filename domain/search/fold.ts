// The folding that the search of the store and the search within a run share.

const NOT_ASCII = /[^\0-\x7f]/
const NOT_ASCII_STRETCH = /[^\0-\x7f]+/g

/** Marks, and characters that only format: joiners, directions, soft hyphens. */
const DROPPED = /[\p{M}\p{Cf}]+/gu

/**
 * Text in compatibility decomposition (NFKD), without marks and format characters. Each character changes by itself, so the
 * parts of a text change as the whole does.
 */
export const decomposed = (text: string): string =>
  NOT_ASCII.test(text)
    ? text.replace(NOT_ASCII_STRETCH, (stretch) => stretch.normalize('NFKD').replace(DROPPED, ''))
    : text

/** Lower case without the letters that have two forms of it: final sigma is sigma, and ß is ss. */
export const lowerCased = (text: string): string => {
  const lower = text.toLowerCase()
  return NOT_ASCII.test(lower) ? lower.replaceAll('ς', 'σ').replaceAll('ß', 'ss') : lower
}

/** Text as searches compare it: without case, marks and widths. */
export const foldSearched = (text: string): string => lowerCased(decomposed(text))

const BLOCK_UNITS = 1024

/** The end of a block that starts at an offset. It is not between the two units of a character. */
const blockEnd = (text: string, from: number): number =>
  from + BLOCK_UNITS + ((text.codePointAt(from + BLOCK_UNITS - 1) ?? 0) > 0xffff ? 1 : 0)

/**
 * The offset in a text at which the folding of what is before it has at least the given length. Marks after a character
 * are before the offset.
 */
export const unfoldedOffset = (text: string, foldedLength: number): number => {
  let [offset, length] = [0, 0]
  // Whole blocks before the place are folded at once: a character alone takes thirty times as long.
  for (let end = blockEnd(text, 0); end < text.length; end = blockEnd(text, offset)) {
    const next = length + foldSearched(text.slice(offset, end)).length
    if (next >= foldedLength) break
    length = next
    offset = end
  }
  while (offset < text.length) {
    const unit = text.charCodeAt(offset)
    if (unit < 0x80) {
      if (length >= foldedLength) break
      offset++
      length++
      continue
    }
    const character = String.fromCodePoint(text.codePointAt(offset) ?? unit)
    const folded = foldSearched(character)
    if (length >= foldedLength && folded !== '') break
    offset += character.length
    length += folded.length
  }
  return offset
}
