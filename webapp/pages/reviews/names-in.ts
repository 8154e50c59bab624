/** The names in a text, which has one in a line or between commas; each once. */
export const namesIn = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(/[\n,]/)
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
]
