/** A date of RFC 9110 5.6.7. Date.parse alone would also read `3.5` as a date. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /

/**
 * Returns the milliseconds that a `Retry-After` header asks to wait: seconds or an HTTP date, where the past is 0. Null
 * if there is none or it cannot be read.
 */
export const retryAfterMs = (header: string | null, now: number): number | null => {
  const value = header?.trim() ?? ''
  if (/^\d{1,10}$/.test(value)) return Number(value) * 1000
  if (!HTTP_DATE.test(value)) return null
  // The date of asctime names no zone; all three forms are in UTC.
  const date = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`)
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}
