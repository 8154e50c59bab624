/**
 * A matcher for free text: case-insensitive substring, `%` standing for any run of characters and `_` for any one.
 * Each piece between `%` is searched leftmost from where the last one ended, so no pattern backtracks.
 */
export const likeSubstring = (pattern: string): ((text: string) => boolean) => {
  const pieces = pattern
    .toLowerCase()
    .split('%')
    .filter((piece) => piece !== '')
    .map(finderOf)
  return (text) => {
    const folded = text.toLowerCase()
    // Where every character is one unit, going on by so many is one addition.
    const flat = !/[\ud800-\udfff]/.test(folded)
    let at = 0
    for (const find of pieces) {
      at = find(folded, at, flat)
      if (at < 0) return false
    }
    return true
  }
}

/** Answers where a match that begins at or after `from` ends, or -1. */
type Finder = (text: string, from: number, flat: boolean) => number

const finderOf = (piece: string): Finder => {
  // Literals, with so many single characters of any kind before each: `_a__b` is 1 before `a`, 2 before `b`.
  const steps = Array.from(piece.matchAll(/(_*)([^_]*)/g), ([, gap = '', literal = '']) => ({
    gap: gap.length,
    literal,
  })).filter(({ gap, literal }) => gap + literal.length > 0)
  const [first, ...rest] = steps
  return (text, from, flat) => {
    if (!first) return from
    // The first literal is looked for natively; only where it stands is the rest tried.
    for (let begin = skip(text, from, first.gap, flat); begin >= 0;) {
      const found = text.indexOf(first.literal, begin)
      if (found < 0) return -1
      const end = follow(text, found + first.literal.length, rest, flat)
      if (end >= 0) return end
      begin = found + 1
    }
    return -1
  }
}

/** Where the rest of a piece ends when it must stand right here, or -1. */
const follow = (
  text: string,
  from: number,
  steps: ReadonlyArray<{ readonly gap: number; readonly literal: string }>,
  flat: boolean,
): number => {
  let at = from
  for (const { gap, literal } of steps) {
    at = skip(text, at, gap, flat)
    if (at < 0 || !text.startsWith(literal, at)) return -1
    at += literal.length
  }
  return at
}

/** The place so many code points further on, or -1 where the text ends before. */
const skip = (text: string, from: number, points: number, flat: boolean): number => {
  if (flat) return from + points <= text.length ? from + points : -1
  let at = from
  for (let i = 0; i < points; i++) {
    if (at >= text.length) return -1
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  }
  return at
}
