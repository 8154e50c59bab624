/**
 * A matcher for free text: case-insensitive substring, `%` standing for any run of characters and `_` for any one.
 * Each piece between `%` is searched leftmost from where the last one ended, so no pattern backtracks.
 */
export const likeSubstring = (pattern: string): ((text: string) => boolean) => {
  const pieces = pattern.toLowerCase().split('%').filter((piece) => piece !== '').map(finderOf)
  return (text) => {
    const folded = text.toLowerCase()
    let at = 0
    for (const find of pieces) {
      at = find(folded, at)
      if (at < 0) return false
    }
    return true
  }
}

/** Answers where a match that begins at or after `from` ends, or -1. */
type Finder = (text: string, from: number) => number

const finderOf = (piece: string): Finder => {
  if (!piece.includes('_')) {
    return (text, from) => {
      const found = text.indexOf(piece, from)
      return found < 0 ? -1 : found + piece.length
    }
  }
  const source = Array.from(piece, (c) => (c === '_' ? '[^]' : c.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))).join('')
  return (text, from) => {
    const search = new RegExp(source, 'gu')
    search.lastIndex = from
    return search.test(text) ? search.lastIndex : -1
  }
}
