import { TemplateError } from '../template-error.ts'

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
const DAY_MS = 86_400_000

const pad = (value: number, width = 2, fill = '0') => String(value).padStart(width, fill)

const dayOfYear = (date: Date) => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / DAY_MS) + 1

/** The year and week of ISO 8601: a week belongs to the year of its Thursday. */
const isoWeek = (date: Date) => {
  const thursday = new Date(date.getTime() + (3 - ((date.getUTCDay() + 6) % 7)) * DAY_MS)
  return { year: thursday.getUTCFullYear(), week: Math.floor((dayOfYear(thursday) - 1) / 7) + 1 }
}

const hour12 = (date: Date) => date.getUTCHours() % 12 || 12

const FORMATS: Readonly<Record<string, (date: Date) => string>> = {
  Y: (date) => pad(date.getUTCFullYear(), 4),
  C: (date) => pad(Math.floor(date.getUTCFullYear() / 100)),
  y: (date) => pad(date.getUTCFullYear() % 100),
  m: (date) => pad(date.getUTCMonth() + 1),
  B: (date) => MONTHS[date.getUTCMonth()]!,
  b: (date) => MONTHS[date.getUTCMonth()]!.slice(0, 3),
  h: (date) => MONTHS[date.getUTCMonth()]!.slice(0, 3),
  d: (date) => pad(date.getUTCDate()),
  e: (date) => pad(date.getUTCDate(), 2, ' '),
  a: (date) => DAYS[date.getUTCDay()]!.slice(0, 3),
  A: (date) => DAYS[date.getUTCDay()]!,
  w: (date) => String(date.getUTCDay()),
  u: (date) => String(date.getUTCDay() || 7),
  j: (date) => pad(dayOfYear(date), 3),
  U: (date) => pad(Math.floor((dayOfYear(date) + 6 - date.getUTCDay()) / 7)),
  W: (date) => pad(Math.floor((dayOfYear(date) + 6 - ((date.getUTCDay() + 6) % 7)) / 7)),
  G: (date) => pad(isoWeek(date).year, 4),
  g: (date) => pad(isoWeek(date).year % 100),
  V: (date) => pad(isoWeek(date).week),
  H: (date) => pad(date.getUTCHours()),
  k: (date) => pad(date.getUTCHours(), 2, ' '),
  I: (date) => pad(hour12(date)),
  l: (date) => pad(hour12(date), 2, ' '),
  P: (date) => (date.getUTCHours() < 12 ? 'am' : 'pm'),
  p: (date) => (date.getUTCHours() < 12 ? 'AM' : 'PM'),
  M: (date) => pad(date.getUTCMinutes()),
  S: (date) => pad(date.getUTCSeconds()),
  f: (date) => pad(date.getUTCMilliseconds() * 1_000_000, 9),
  z: () => '+0000',
  Z: () => 'UTC',
  s: (date) => String(Math.floor(date.getTime() / 1000)),
  n: () => '\n',
  t: () => '\t',
  '%': () => '%',
}

const COMPOSED: Readonly<Record<string, string>> = {
  D: '%m/%d/%y',
  x: '%m/%d/%y',
  F: '%Y-%m-%d',
  v: '%e-%b-%Y',
  R: '%H:%M',
  T: '%H:%M:%S',
  X: '%H:%M:%S',
  r: '%I:%M:%S %p',
  c: '%a %b %e %H:%M:%S %Y',
  '+': '%Y-%m-%dT%H:%M:%S+00:00',
}

/** Changes how a number is padded: `-` not at all, `_` with spaces, `0` with zeros. Undefined: it is no number. */
const repadded = (text: string, flag: string): string | undefined => {
  const [, padding, digits] = /^([ 0]*)([1-9]\d*|0)$/.exec(text) ?? []
  if (padding === undefined || digits === undefined) return undefined
  return `${flag === '-' ? '' : (flag === '_' ? ' ' : '0').repeat(padding.length)}${digits}`
}

/**
 * Writes an instant in UTC by a format of strftime (POSIX). Numbers accept the flags `-`, `_` and `0`, as in `%-d`.
 * Throws for a specifier that does not exist.
 */
export const strftime = (format: string, date: Date): string =>
  format.replace(/%(?:[-_0][A-Za-z]|[.:]?\d?[A-Za-z+%]|.?)/gsu, (specifier) => {
    const name = specifier.slice(1)
    if (/^[-_0]./.test(name)) {
      const number = Object.hasOwn(FORMATS, name[1]!) ? FORMATS[name[1]!]!(date) : ''
      const changed = repadded(number, name[0]!)
      if (changed === undefined) throw new TemplateError(`\`${specifier}\` is no specifier of a time format`)
      return changed
    }
    const composed = Object.hasOwn(COMPOSED, name) ? COMPOSED[name] : undefined
    if (composed !== undefined) return strftime(composed, date)
    const simple = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined
    if (simple !== undefined) return simple(date)
    if (name === ':z') return '+00:00'
    const fraction = /^(\.?)([369])f$/.exec(name)
    if (fraction === null) throw new TemplateError(`\`${specifier}\` is no specifier of a time format`)
    return fraction[1]! + pad(date.getUTCMilliseconds() * 1_000_000, 9).slice(0, Number(fraction[2]))
  })
