/** Joins tags into one text with each tag in brackets, so that a query finds an exact tag without a separate table. */
export const tagText = (tags: readonly string[]): string | null =>
  tags.length === 0 ? null : tags.map(tagToken).join('')

// A bracket in a tag becomes a backslash and a parenthesis. If it became a backslash and a bracket, that bracket could
// still be taken for the start or the end of another tag's token.
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
