/** Epoch milliseconds as an RFC 3339 text with a numeric offset, and a fraction only if it is not zero. */
export const rfc3339 = (ms: number): string => {
  const iso = new Date(ms).toISOString()
  return `${iso.slice(0, iso.endsWith('.000Z') ? -5 : -1)}+00:00`
}

/** Whole micro-USD as USD. */
export const usd = (micro: number | null): number | null => (micro === null ? null : micro / 1e6)

/** A part of a whole as a rate; 0 if the whole is 0. */
export const rate = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)

/** The text, or null if it is empty. */
export const orNull = (text: string | null): string | null => (text === '' ? null : text)

/** A page of rows. The query reads one row more than the limit, which shows whether there is a next page. */
export const page = <T>(
  rows: readonly T[],
  limit: number,
  cursorOf: (last: T) => string,
): { rows: readonly T[]; next_cursor: string | null } => {
  const listed = rows.slice(0, limit)
  const last = listed.at(-1)
  return { rows: listed, next_cursor: rows.length > limit && last !== undefined ? cursorOf(last) : null }
}
