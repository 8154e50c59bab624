import { isObject } from '../../domain/plain/is-object.ts'
import { isRawNumber } from '../../domain/run/canonical-json.ts'
import type { Json, JsonObject } from '../json.ts'

/** Whether a value is a mapping: no list, no null and no number that is stored as text. */
export const isMapping = (value: Json | undefined): value is JsonObject => isObject(value)

export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)

/** Whether an object has a key of its own: `constructor` and the like are no keys. */
export const hasKey = (value: object, key: string): boolean => Object.hasOwn(value, key)

/** Names the type of a value in messages. */
export const typeName = (value: Json): string => {
  if (value === null) return 'null'
  if (isList(value)) return 'a list'
  if (isRawNumber(value) || typeof value === 'number') return 'a number'
  if (isMapping(value)) return 'a mapping'
  return `a ${typeof value}`
}
