/** Tags as one text in which each stands between brackets, so that an exact tag is found without a table of its own. */
export const tagText = (tags: readonly string[]): string | null =>
  tags.length === 0 ? null : tags.map(tagToken).join('')

// A tag's own brackets become other characters: escaped but still there, they could end or begin the token of another
// tag.
export const tagToken = (tag: string): string =>
  `[${tag.replaceAll('\\', '\\\\').replaceAll('[', '\\(').replaceAll(']', '\\)')}]`

/** The tags of such a text, each once. */
export const tagsIn = (text: string | null): ReadonlySet<string> =>
  new Set(
    text === null
      ? []
      : text
          .slice(1, -1)
          .split('][')
          .map((token) => token.replace(/\\(.)/gs, (_, sign: string) => ({ '(': '[', ')': ']' })[sign] ?? sign)),
  )
