/** JSON of a value as it is shown and copied: in lines where `indented`, else in one. */
export const jsonText = (value: unknown, indented = false): string =>
  JSON.stringify(value, null, indented ? 2 : undefined) ?? ''
