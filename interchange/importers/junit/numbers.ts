import type { Losses } from '../../document/losses.ts'
import { readOrLoss } from '../../document/odd-values.ts'
import type { Row } from '../../read/row.ts'

/** Takes the time of a suite or a test, in seconds. A value that is not a number stays in the row, and is recorded. */
export const takeSeconds = (row: Row, losses: Losses): number | null =>
  readOrLoss(row, 'time', secondsIn, losses, 'number of seconds')

/** A number with commas between thousands, as some tools write it. A comma elsewhere may be a decimal comma. */
const WITH_THOUSANDS = /^[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?$/

/** Reads a number of seconds; null if it is none. */
const secondsIn = (value: unknown): number | null => {
  if (typeof value !== 'string') return null
  const text = value.trim()
  const plain = WITH_THOUSANDS.test(text) ? text.replaceAll(',', '') : text
  if (!/^\d+(?:\.\d*)?(?:[eE][+-]?\d+)?$/.test(plain)) return null
  const seconds = Number(plain)
  return Number.isFinite(seconds) ? seconds : null
}
