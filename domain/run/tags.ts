/** Joins tags into one text with each tag in brackets, so that a query finds an exact tag without a separate table. */
export const tagText = (tags: readonly string[]): string | null =>
  tags.length === 0 ? null : tags.map(tagToken).join('')

// Brackets in a tag become parentheses: brackets with a backslash could still start or end the token of another tag.
export const tagToken = (tag: string): string =>
  `[${tag.replaceAll('\\', '\\\\').replaceAll('[', '\\(').replaceAll(']', '\\)')}]`

/** The distinct tags of a text that `tagText` wrote. */
export const tagsIn = (text: string | null): ReadonlySet<string> =>
  new Set(
    text === null
      ? []
      : text
          .slice(1, -1)
          .split('][')
          .map((token) =>
            token.replace(/\\(.)/gs, (_, escaped: string) => ({ '(': '[', ')': ']' })[escaped] ?? escaped),
          ),
  )
