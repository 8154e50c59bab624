import type { ImportOptions } from '../import-options.ts'
import type { Losses } from '../losses.ts'
import { hasZone, readTime } from './times.ts'

/**
 * Reads a time of a source. One without a zone is in the zone of the option; without the option it is taken as UTC, and
 * that is recorded at `path`. Null if the text is no time.
 */
export const sourceTime = (
  text: string | null,
  { timeZone }: Pick<ImportOptions, 'timeZone'>,
  losses: Losses,
  path: string,
): string | null => {
  if (text === null) return null
  const time = readTime(text, timeZone)
  if (time !== null && timeZone === undefined && !hasZone(text))
    losses.add('assumed', path, text, 'a time without a zone: read as UTC, see --time-zone')
  return time
}
