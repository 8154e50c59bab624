/** JSON of a value for display and copying: on several lines if `indented`, else on one. */
export const jsonText = (value: unknown, indented = false): string =>
  JSON.stringify(value, null, indented ? 2 : undefined) ?? ''
