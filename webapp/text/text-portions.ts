/** Characters of a stored text that are drawn at first, and with each request for more. */
export const PORTION = 20_000
/** Characters of a stored text that are drawn in the colours of its language. */
export const MAX_COLOURED = 5 * PORTION

/** A length near `wanted` at which a cut does not split a character. */
export const cutAt = (text: string, wanted: number): number => {
  if (wanted >= text.length) return text.length
  // The second half of a surrogate pair, or a mark that joins the character before it.
  const joins = /^(?:[\udc00-\udfff]|\p{M}|\u200d)/u
  let end = wanted
  while (
    end > wanted - 32 &&
    end > 0 &&
    (joins.test(text.slice(end, end + 2)) ||
      text[end - 1] === '\u200d' ||
      (text[end - 1] === '\r' && text[end] === '\n'))
  )
    end--
  return end
}

/**
 * The end of a portion from `from` to about `wanted`. If a line ends shortly before `wanted`, the portion ends after
 * that line, so that portions can be separate blocks.
 */
export const portionEnd = (text: string, from: number, wanted: number): number => {
  if (wanted >= text.length) return text.length
  const line = text.lastIndexOf('\n', wanted - 1) + 1
  return line > from && line >= wanted - (wanted - from) / 5 ? line : cutAt(text, wanted)
}
