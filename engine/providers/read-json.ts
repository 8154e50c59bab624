import { isMapping } from '../suite/values.ts'
import { isRawNumber } from '../../domain/run/canonical-json.ts'
import type { Json, JsonObject } from '../json.ts'

/** Readers of JSON that others wrote: a member of another type counts as absent. */

export const asObject = (value: Json | undefined): JsonObject | undefined => (isMapping(value) ? value : undefined)

export const asArray = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) ? (value as readonly Json[]) : []

export const asString = (value: Json | undefined): string | undefined => (typeof value === 'string' ? value : undefined)

/** The number, also where its token has more digits than a double. */
export const asNumber = (value: Json | undefined): number | undefined => {
  if (typeof value === 'number') return value
  const number = isRawNumber(value) ? Number(value.rawJSON) : undefined
  return number !== undefined && Number.isFinite(number) ? number : undefined
}

/** A count of tokens: a whole number from 0. */
export const asCount = (value: Json | undefined): number | undefined => {
  const number = asNumber(value)
  return number !== undefined && number >= 0 && number <= Number.MAX_SAFE_INTEGER ? Math.trunc(number) : undefined
}

/** The members that have a value. */
export const present = <T extends object>(members: { readonly [K in keyof T]: T[K] | undefined }): T =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T
