/** How much of a stored text is drawn at first, and with each wish for more. */
export const PORTION = 20_000

/** A length near `wanted` at which a text can be cut without taking a character apart. */
export const cutAt = (text: string, wanted: number): number => {
  if (wanted >= text.length) return text.length
  // Half of a pair, or what joins itself to the character before.
  const joins = /^(?:[\udc00-\udfff]|\p{M}|\u200d)/u
  let at = wanted
  while (
    at > wanted - 32 &&
    at > 0 &&
    (joins.test(text.slice(at, at + 2)) || text[at - 1] === '\u200d' || (text[at - 1] === '\r' && text[at] === '\n'))
  )
    at--
  return at
}

/**
 * Where a portion that shall reach `wanted` ends: behind a line where one ends near, so that portions are blocks of
 * their own.
 */
export const portionEnd = (text: string, from: number, wanted: number): number => {
  if (wanted >= text.length) return text.length
  const line = text.lastIndexOf('\n', wanted - 1) + 1
  return line > from && line >= wanted - (wanted - from) / 5 ? line : cutAt(text, wanted)
}
