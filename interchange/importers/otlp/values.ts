import { isRawNumber } from '../../../domain/run/canonical-json.ts'
import type { Json } from '../../../domain/run/readers.ts'
import type { Losses } from '../../document/losses.ts'
import { isObject, type JsonObject } from '../../read/row.ts'

// The values of OTLP as plain JSON. What is no value of OTLP is recorded as left out.

const UNKNOWN = 'not in the form of OTLP'

/** Records what is no value of OTLP. Null and absent values are nothing. */
export const recordOdd = (value: Json | undefined, path: string, losses: Losses): void => {
  if (value !== undefined && value !== null) losses.add('left_out', path, value, UNKNOWN)
}

/** Records the members of an object that OTLP does not have. */
export const recordMembers = (members: JsonObject, path: string, losses: Losses): void => {
  for (const [key, value] of Object.entries(members)) recordOdd(value, `${path}.${key}`, losses)
}

/** The objects of a list. Anything else is recorded. */
export const objectsIn = (list: Json | undefined, path: string, losses: Losses): readonly JsonObject[] => {
  if (list === undefined || list === null) return []
  if (!Array.isArray(list)) {
    recordOdd(list, path, losses)
    return []
  }
  return (list as Json[]).filter((item) => {
    if (isObject(item) && !isRawNumber(item)) return true
    recordOdd(item, `${path}.*`, losses)
    return false
  }) as JsonObject[]
}

/** The attributes of a list of keys and values. A key that comes again gets a number. */
export const attributesIn = (list: Json | undefined, path: string, losses: Losses): JsonObject => {
  const found: Record<string, Json> = {}
  const counts = new Map<string, number>()
  for (const { key, value, ...others } of objectsIn(list, path, losses)) {
    if (typeof key !== 'string') recordOdd(key, `${path}.*.key`, losses)
    recordMembers(others, `${path}.*`, losses)
    const name = typeof key === 'string' ? key : ''
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    Object.defineProperty(found, count === 1 ? name : `${name}~${count}`, {
      value: plainValue(value, `${path}.*.value`, losses),
      enumerable: true,
      writable: true,
      configurable: true,
    })
  }
  return found
}

/** A value of OTLP as plain JSON. Of several values, which OTLP does not have, it is the first. */
export const plainValue = (value: Json | undefined, path: string, losses: Losses): Json => {
  if (!isObject(value) || isRawNumber(value)) return value ?? null
  let found: Json | undefined
  for (const [key, member] of Object.entries(value)) {
    if (member === null) continue
    const read = found === undefined ? plainOf(key, member, `${path}.${key}`, losses) : undefined
    if (read === undefined) recordOdd(member, `${path}.${key}`, losses)
    else found = read
  }
  return found ?? null
}

/** The value of a member; undefined for one that OTLP does not have. */
const plainOf = (key: string, value: Json, path: string, losses: Losses): Json | undefined => {
  if (key === 'intValue') return wholeNumber(value)
  if (key === 'stringValue' || key === 'boolValue' || key === 'doubleValue' || key === 'bytesValue') return value
  if ((key !== 'arrayValue' && key !== 'kvlistValue') || !isObject(value) || isRawNumber(value)) return undefined
  const { values, ...others } = value
  recordMembers(others, path, losses)
  if (key === 'kvlistValue') return attributesIn(values, `${path}.values`, losses)
  return objectsIn(values, `${path}.values`, losses).map((item) => plainValue(item, `${path}.values.*`, losses))
}

const wholeNumber = (value: Json): Json => {
  const number = typeof value === 'string' ? Number(value) : value
  return Number.isSafeInteger(number) ? number : value
}
