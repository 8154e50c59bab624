import { type Losses, NO_LOSSES } from '../../document/losses.ts'
import { isSeconds, sourceTime, type TimeOptions } from '../../document/time/source-time.ts'
import { numberOrLoss } from '../../document/odd-values.ts'
import type { Row } from '../../read/row.ts'

/** Times in seconds are exact to a second. */
const SECOND_MS = 1000
/** How far a duration may be from the time between start and end, as a share of it. */
const TOLERANCE = 0.1

/**
 * Takes the duration of a test, in milliseconds. Some reporters write seconds: then the number fits the time between the
 * start and the end of the test better as seconds. Such a reading is recorded.
 */
export const takeDuration = (row: Row, options: TimeOptions, losses: Losses): number | null => {
  const duration = numberOrLoss(row, 'duration', losses, 'number of milliseconds')
  const [start, stop] = [row.peek('start'), row.peek('stop')]
  if (duration === null || duration <= 0 || typeof start !== 'number' || typeof stop !== 'number') return duration
  const [first, last] = [start, stop].map((time) => Date.parse(sourceTime(time, options, NO_LOSSES, '') ?? ''))
  const elapsedMs = (last ?? Number.NaN) - (first ?? Number.NaN)
  if (Number.isNaN(elapsedMs) || elapsedMs < 0) return duration
  const areSeconds = isSeconds(start, options)
  // Within one second of the clock, only a fraction shows the unit.
  if (elapsedMs === 0 && !(areSeconds && !Number.isInteger(duration))) return duration
  const distance = Math.abs(duration * 1000 - elapsedMs)
  const isNear = distance <= (areSeconds ? SECOND_MS : elapsedMs * TOLERANCE)
  if (!isNear || (elapsedMs > 0 && distance >= Math.abs(duration - elapsedMs))) return duration
  losses.add('assumed', `${row.path}.duration`, duration, 'a duration in milliseconds: read as seconds')
  return duration * 1000
}
