import { SourceRefused } from '../source-refused.ts'

const NUMERIC = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?)?\s*(Z|UTC|[+-]\d\d:?\d\d)?$/i

/** Whether a text names its zone. */
export const hasZone = (text: string): boolean => Boolean(NUMERIC.exec(text.trim())?.[8])

/**
 * Reads the times that tools write: RFC 3339, with a space for the T, without seconds, or without a zone. A time without
 * a zone is in `timeZone`, an IANA name, by default UTC. Returns RFC 3339 in UTC, or null for anything else.
 */
export const readTime = (text: string, timeZone = 'UTC'): string | null => {
  const parts = NUMERIC.exec(text.trim())
  if (!parts) return null
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone] = parts
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  const ms = Date.parse(`${local}Z`)
  if (Number.isNaN(ms)) return null
  const offset = zone === undefined ? zoneOffsetMs(ms, timeZone) : /^(z|utc)$/i.test(zone) ? 0 : offsetMs(zone)
  const utc = new Date(ms - offset)
  if (!isStorable(utc)) return null
  return `${utc.toISOString().slice(0, 19)}${fraction === '' ? '' : `.${fraction.slice(0, 9)}`}Z`
}

/** The epoch milliseconds of a time that `readTime` reads; NaN for anything else. */
export const readTimeMs = (text: string | null): number => Date.parse(readTime(text ?? '') ?? '')

/** RFC 3339 of epoch milliseconds; null for a time that no document can have. */
export const timeOfMs = (ms: number): string | null => {
  const time = new Date(Math.round(ms))
  return isStorable(time) ? time.toISOString() : null
}

/** Epoch milliseconds of an RFC 3339 time; null stays null. */
export const timeMsOf = (time: string | null): number | null => (time === null ? null : Date.parse(time))

const isStorable = (time: Date) =>
  !Number.isNaN(time.getTime()) && time.getUTCFullYear() >= 0 && time.getUTCFullYear() <= 9999

const offsetMs = (zone: string): number => {
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

/** How far the clocks of a zone are before UTC when they show a local time, which is given as if it were UTC. */
const zoneOffsetMs = (localMs: number, timeZone: string): number => {
  if (timeZone === 'UTC') return 0
  // The second guess is right except within an hour that a change of the clocks repeats or leaves out.
  const guess = offsetAt(localMs, timeZone)
  return offsetAt(localMs - guess, timeZone)
}

const offsetAt = (ms: number, timeZone: string): number => {
  const parts = Object.fromEntries(
    formatIn(timeZone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  ) as Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>
  const shown = Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second)
  return shown - Math.floor(ms / 1000) * 1000
}

const formats = new Map<string, Intl.DateTimeFormat>()

const formatIn = (timeZone: string): Intl.DateTimeFormat => {
  const known = formats.get(timeZone)
  if (known) return known
  const numeric = 'numeric' as const
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, hourCycle: 'h23', era: undefined },
    ...{ year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric },
  })
  formats.set(timeZone, format)
  return format
}

/** Throws `SourceRefused` if this is no IANA time zone. */
export const checkTimeZone = (timeZone: string): void => {
  try {
    formatIn(timeZone)
  } catch (error) {
    throw new SourceRefused(`--time-zone: ${timeZone} is no IANA time zone, such as Europe/Berlin`, { cause: error })
  }
}
