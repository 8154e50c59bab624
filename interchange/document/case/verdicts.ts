import type { Losses } from '../losses.ts'
import { isKnown } from '../known.ts'
import type { Row } from '../../read/row.ts'

/**
 * Takes a score: a number, a number or a truth value as text, or true and false, which are 1 and 0. Any other value stays in
 * the row, and is recorded: it decides nothing. Null without a score.
 */
export const takeScore = (row: Row, key: string, losses: Losses): number | null => {
  const value = row.peek(key)
  const score = scoreIn(value)
  if (score !== null) row.take(key)
  else if (isKnown(value) && value !== '')
    losses.add('changed', `${row.path}.${key}`, value, 'not a score: not evaluated, stored in raw')
  return score
}

const scoreIn = (value: unknown): number | null => {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  const text = typeof value === 'string' ? value.trim().toLowerCase() : ''
  if (text === 'true' || text === 'false') return Number(text === 'true')
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/.test(text) && Number.isFinite(Number(text))
    ? Number(text)
    : null
}

const YES: ReadonlySet<string> = new Set(['true', 'yes', 'pass', 'passed', 'correct'])
const NO: ReadonlySet<string> = new Set(['false', 'no', 'fail', 'failed', 'incorrect'])

/** Whether a value says yes or no, as a truth value or as a word; null if it does not. */
export const truthIn = (value: unknown): boolean | null => {
  if (typeof value === 'boolean') return value
  const text = typeof value === 'string' ? value.trim().toLowerCase() : ''
  return YES.has(text) ? true : NO.has(text) ? false : null
}

const PASSED: ReadonlySet<string> = new Set(['pass', 'passed', 'correct'])
const FAILED: ReadonlySet<string> = new Set(['fail', 'failed', 'incorrect'])

/** Whether a word says that something passed or failed; null for a word that only describes it. */
export const verdictIn = (word: unknown): boolean | null => {
  const text = typeof word === 'string' ? word.trim().toLowerCase() : ''
  return PASSED.has(text) ? true : FAILED.has(text) ? false : null
}
