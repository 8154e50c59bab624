import type { Row } from '../read/row.ts'
import type { Losses } from './losses.ts'

/**
 * Takes a number of a row, such as a duration. Any other value stays in the row, which becomes `raw`, and is recorded: the
 * number is unknown then. Null if there is none.
 */
export const numberOrLoss = (row: Row, key: string, losses: Losses, what = 'number'): number | null => {
  const number = row.number(key)
  if (number === null && row.has(key))
    losses.add('changed', `${row.path}.${key}`, row.peek(key), `not a ${what}: unknown, stored in raw`)
  return number
}

/** The same for a member that `read` converts to a number. An empty text counts as absent, and is no loss. */
export const readOrLoss = (
  row: Row,
  key: string,
  read: (value: unknown) => number | null,
  losses: Losses,
  what: string,
): number | null => {
  const value = row.peek(key)
  const number = read(value)
  if (number !== null) row.take(key)
  else if (row.has(key) && value !== '')
    losses.add('changed', `${row.path}.${key}`, value, `not a ${what}: unknown, stored in raw`)
  return number
}
