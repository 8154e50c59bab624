/** Epoch milliseconds as the wire spells an instant: numeric offset, a fraction only when there is one. */
export const rfc3339 = (ms: number): string => new Date(ms).toISOString().replace(/(?:\.000)?Z$/, '+00:00')

/** Whole micro-USD as USD. */
export const usd = (micro: number | null): number | null => (micro === null ? null : micro / 1e6)

/** A rate of parts; 0 of nothing. */
export const rate = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)

/** Empty text that reads as null. */
export const orNull = (text: string | null): string | null => (text === '' ? null : text)

/** Pages: one row more than asked for tells whether there is a next page. */
export const page = <T>(
  rows: readonly T[],
  limit: number,
  cursorOf: (last: T) => string,
): { rows: readonly T[]; next_cursor: string | null } => {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return { rows: shown, next_cursor: rows.length > limit && last !== undefined ? cursorOf(last) : null }
}
