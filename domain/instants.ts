import { withSchema, expectedError, type ValueReader } from './run/readers.ts'

/** The format of epoch milliseconds in a query parameter. */
export const EPOCH_MS = /^-?\d{1,16}$/

const QUERY_INSTANT = /^(\d{4}-\d\d-(\d\d))[Tt](?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/

/** Epoch milliseconds from `1777885242250` or an RFC 3339 instant; null for anything else. */
export const parseInstant = (text: string): number | null => {
  if (EPOCH_MS.test(text)) return Number(text)
  // An unescaped + of an offset arrives as a space.
  const spelled = text.replace(/ (?=\d\d:\d\d$)/, '+')
  const parts = QUERY_INSTANT.exec(spelled)
  const ms = parts ? Date.parse(spelled.toUpperCase()) : Number.NaN
  if (!parts || Number.isNaN(ms)) return null
  // Date.parse accepts 30 February and returns a day of March.
  const [, date = '', day = ''] = parts
  return new Date(`${date}T00:00:00Z`).getUTCDate() === Number(day) ? ms : null
}

const DOCUMENT_INSTANT = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/

/**
 * Reads an RFC 3339 instant and returns it in UTC with `Z`, without trailing zeros in the fraction. Rejects leap seconds.
 */
export const instant: ValueReader<string> = withSchema(
  (value) => {
    if (typeof value !== 'string') throw expectedError('an RFC 3339 instant', value)
    const parts = DOCUMENT_INSTANT.exec(value)
    if (parts === null)
      throw expectedError('an RFC 3339 instant with an offset and at most nine fraction digits', value)
    const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1, 7).map(Number)
    const [offsetHours, offsetMinutes] = [Number(parts[9] ?? 0), Number(parts[10] ?? 0)]

    const utc = new Date(0)
    // Date.UTC reads the years 0 to 99 as 1900 to 1999.
    utc.setUTCFullYear(year, month - 1, day)
    // A day that does not exist in its month becomes a day of the next month.
    const isDay = utc.getUTCMonth() === month - 1 && utc.getUTCDate() === day
    if (!isDay || hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59)
      throw expectedError('an instant that exists', value)

    utc.setUTCHours(hour, minute, second)
    const offset = (offsetHours * 60 + offsetMinutes) * 60_000
    utc.setTime(utc.getTime() + (parts[8] === '+' ? -offset : offset))
    if (utc.getUTCFullYear() < 0 || utc.getUTCFullYear() > 9999)
      throw expectedError('an instant in the years 0000 to 9999 of UTC', value)
    const fraction = (parts[7] ?? '').replace(/(?<!0)0+$/, '')
    return `${utc.toISOString().slice(0, 19)}${fraction === '' ? '' : `.${fraction}`}Z`
  },
  { type: 'string', format: 'date-time' },
)
