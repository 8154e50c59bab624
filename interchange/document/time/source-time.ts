import type { ImportOptions } from '../import-options.ts'
import type { Losses } from '../losses.ts'
import { hasZone, readTime, timeOfMs } from './times.ts'

/** What the times of a source depend on. */
export type TimeOptions = Pick<ImportOptions, 'timeZone' | 'importedAt'>

/** A clock that was never set shows 1970, 1980 or the year 1. No supported tool existed before this time. */
const FIRST_MS = Date.UTC(2000)
/** Clocks and zones differ by a day at most. */
const DAY_MS = 86_400_000
/** Without the time of the import: up to here, the units of `UNITS` cannot be confused. */
const LAST_MS = Date.UTC(2100)

const isPossible = (ms: number, { importedAt }: TimeOptions): boolean =>
  ms >= FIRST_MS && ms <= (importedAt === undefined ? LAST_MS : importedAt + DAY_MS)

type Unit = 'milliseconds' | 'seconds' | 'microseconds' | 'nanoseconds'
const UNITS: ReadonlyArray<readonly [unit: Unit, ms: number]> = [
  ['milliseconds', 1],
  ['seconds', 1000],
  ['microseconds', 1e-3],
  ['nanoseconds', 1e-6],
]

/** The time and the unit of a number since 1970: in one unit at most, the time is possible. */
const epochOf = (value: number, options: TimeOptions) => {
  for (const [unit, factor] of UNITS) if (isPossible(value * factor, options)) return { unit, ms: value * factor }
  return null
}

/** Whether a number is a possible time in seconds since 1970. */
export const isSeconds = (value: number | null, options: TimeOptions): boolean =>
  value !== null && epochOf(value, options)?.unit === 'seconds'

const NUMBER = /^\s*\d{9,19}(?:\.\d{1,9})?\s*$/

/**
 * Reads a time of a source: a text, or a number since 1970, whose unit its size shows. A text without a zone is in the zone
 * of the option; without the option it is taken as UTC, and that is recorded at `path`. A time before the year 2000, or
 * more than a day after the import, comes from a wrong clock: it is recorded and counts as unknown. A unit other than the
 * `usual` one of the format is recorded too. Null if the time is unknown, and for any other value, such as 0.
 */
export const sourceTime = (
  value: unknown,
  options: TimeOptions,
  losses: Losses,
  path: string,
  usual: Unit = 'milliseconds',
): string | null => {
  const number =
    typeof value === 'number' ? value : typeof value === 'string' && NUMBER.test(value) ? Number(value) : null
  if (number !== null) {
    if (number === 0 || !Number.isFinite(number)) return null
    const found = epochOf(number, options)
    if (found === null) return impossible(value, losses, path)
    if (found.unit !== usual) losses.add('assumed', path, value, `a time in ${usual}: read as ${found.unit}`)
    return timeOfMs(found.ms)
  }
  if (typeof value !== 'string') return null
  const time = readTime(value, options.timeZone)
  if (time === null) return null
  if (!isPossible(Date.parse(time), options)) return impossible(value, losses, path)
  if (options.timeZone === undefined && !hasZone(value))
    losses.add('assumed', path, value, 'a time without a zone: read as UTC, see --time-zone')
  return time
}

const impossible = (value: unknown, losses: Losses, path: string): null => {
  losses.add(
    'left_out',
    path,
    value,
    'before the year 2000, or more than a day after the import: taken as not recorded',
  )
  return null
}
