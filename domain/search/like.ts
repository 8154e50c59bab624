import { foldSearched } from './fold.ts'

/**
 * Returns a substring matcher for texts without regard to case, marks and widths (see `foldSearched`), in which `%` matches any characters and `_` matches one. For each
 * piece between `%`, it takes the first match after the end of the previous piece, so it never backtracks to an earlier
 * piece.
 */
export const likeSubstring = (pattern: string): ((text: string) => boolean) => {
  // A text of marks alone is compared as it is.
  const fold = foldSearched(pattern) === '' ? (text: string): string => text.toLowerCase() : foldSearched
  // Folded after the split: the wide forms of `%` and `_` are text.
  const pieces = pattern
    .split('%')
    .filter((piece) => piece !== '')
    .map((piece) => finderOf(piece, fold))
  return (text) => {
    const folded = fold(text)
    // Without surrogates every character is one unit, so skipping n characters is one addition.
    const hasNoSurrogates = !/[\ud800-\udfff]/.test(folded)
    let offset = 0
    for (const find of pieces) {
      offset = find(folded, offset, hasNoSurrogates)
      if (offset < 0) return false
    }
    return true
  }
}

/** Returns the end of the first match that starts at or after `from`, or -1. */
type Finder = (text: string, from: number, hasNoSurrogates: boolean) => number

const finderOf = (piece: string, fold: (text: string) => string): Finder => {
  // Literals, each with the number of arbitrary characters before it: in `_a__b`, 1 before `a` and 2 before `b`.
  const steps = Array.from(piece.matchAll(/(_*)([^_]*)/g), ([, gap = '', literal = '']) => ({
    gap: gap.length,
    literal: fold(literal),
  })).filter(({ gap, literal }) => gap + literal.length > 0)
  const [first, ...rest] = steps
  return (text, from, hasNoSurrogates) => {
    if (!first) return from
    // The first literal is searched natively; the rest is compared only after a hit.
    for (let begin = skip(text, from, first.gap, hasNoSurrogates); begin >= 0;) {
      const found = text.indexOf(first.literal, begin)
      if (found < 0) return -1
      const end = follow(text, found + first.literal.length, rest, hasNoSurrogates)
      if (end >= 0) return end
      begin = found + 1
    }
    return -1
  }
}

/** Returns the end of the rest of a piece if it starts exactly at `from`, or -1. */
const follow = (
  text: string,
  from: number,
  steps: ReadonlyArray<{ readonly gap: number; readonly literal: string }>,
  hasNoSurrogates: boolean,
): number => {
  let offset = from
  for (const { gap, literal } of steps) {
    offset = skip(text, offset, gap, hasNoSurrogates)
    if (offset < 0 || !text.startsWith(literal, offset)) return -1
    offset += literal.length
  }
  return offset
}

/** Returns the offset after the given number of code points, or -1 if the text ends before. */
const skip = (text: string, from: number, points: number, hasNoSurrogates: boolean): number => {
  if (hasNoSurrogates) return from + points <= text.length ? from + points : -1
  let offset = from
  for (let i = 0; i < points; i++) {
    if (offset >= text.length) return -1
    offset += (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1
  }
  return offset
}
