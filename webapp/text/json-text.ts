/** JSON of a value for display and copying: on several lines if `indented`, else on one. */
export const jsonText = (value: unknown, indented = false): string =>
  JSON.stringify(value, null, indented ? 2 : undefined) ?? ''

/** JSON of a value in which the order of fields does not matter, to compare values. */
export const canonicalText = (value: unknown): string =>
  JSON.stringify(value, (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part) && !('toJSON' in part)
      ? Object.fromEntries(Object.entries(part).toSorted(([x], [y]) => (x < y ? -1 : 1)))
      : part,
  ) ?? ''
