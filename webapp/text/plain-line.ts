/**
 * A short line of Markdown without the marks of an item, a heading, strong text and code, which a list has no room for. Stars
 * and underscores within a word or before a call are of code, as in `2**3**4` and `__init__()`.
 */
export const withoutMarks = (line: string): string =>
  line
    .replace(/^\s*(?:(?:[-*+•]|#{1,6})\s+)+/, '')
    .replace(/((?<!\w)\*\*|(?<!\w)__|`)(?=\S)((?:(?!\1).)*\S)\1(?![\w(])/g, '$2')
