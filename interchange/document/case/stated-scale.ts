import type { Json } from '../../../domain/run/readers.ts'
import { isObject } from '../../read/row.ts'
import type { AssertionDraft } from './case-draft.ts'

const LOW = ['min_score', 'min_value', 'minValue', 'min'] as const
const HIGH = ['max_score', 'max_value', 'maxValue', 'max'] as const
const LOWER = ['lower_is_better', 'is_lower_score_better'] as const
const HIGHER = ['higher_is_better', 'greater_is_better'] as const
const DIRECTIONS: Readonly<Record<string, boolean>> = { minimize: true, maximize: false }

/**
 * What the description of a metric says of its scores, by the names that tools have for it: its range, and whether a low
 * value is good. Empty where it says nothing.
 */
export const statedScale = (described: Json | undefined): Pick<AssertionDraft, 'range' | 'lowerIsBetter'> => {
  if (!isObject(described)) return {}
  const number = (keys: readonly string[]) =>
    keys.map((key) => asNumber(described[key])).find((value) => value !== null)
  const truth = (keys: readonly string[]) => keys.map((key) => asTruth(described[key])).find((value) => value !== null)
  const [low, high, lower, higher] = [number(LOW), number(HIGH), truth(LOWER), truth(HIGHER)]
  const { direction } = described
  const lowerIsBetter =
    lower ?? (higher === undefined ? DIRECTIONS[typeof direction === 'string' ? direction.toLowerCase() : ''] : !higher)
  return {
    ...(low !== undefined && high !== undefined && { range: [low, high] as const }),
    ...(lowerIsBetter !== undefined && { lowerIsBetter }),
  }
}

const asNumber = (value: Json | undefined): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null

/** Metadata of some tools holds texts alone. */
const asTruth = (value: Json | undefined): boolean | null =>
  typeof value === 'boolean'
    ? value
    : value === 'true' || value === 'True'
      ? true
      : value === 'false' || value === 'False'
        ? false
        : null
