import { isObject } from '../../domain/plain/is-object.ts'
import type { Json } from '../../domain/run/readers.ts'
import { SourceRefused } from '../document/source-refused.ts'

// Members of values that were parsed, by their path of keys. Nothing is taken out of the value.

const memberAt = (value: unknown, path: readonly string[]): unknown => {
  let found = value
  for (const key of path) found = isObject(found) && Object.hasOwn(found, key) ? found[key] : null
  return found
}

/** The object at a path; null if there is none. */
export const objectAt = (value: unknown, ...path: readonly string[]): Record<string, Json> | null => {
  const found = memberAt(value, path)
  return isObject(found) ? found : null
}

/** The text at a path; null if there is none, or it is empty. */
export const textAt = (value: unknown, ...path: readonly string[]): string | null => {
  const found = memberAt(value, path)
  return typeof found === 'string' && found !== '' ? found : null
}

/** The number at a path; null if there is none. */
export const numberAt = (value: unknown, ...path: readonly string[]): number | null => {
  const found = memberAt(value, path)
  return typeof found === 'number' ? found : null
}

/** The objects in the list at a path. */
export const objectsAt = (value: unknown, ...path: readonly string[]): readonly Record<string, Json>[] => {
  const found = memberAt(value, path)
  return Array.isArray(found) ? (found as readonly Json[]).filter(isObject) : []
}

/** A value that must be an object. Throws `SourceRefused` if it is none. */
export const requireObject = (value: unknown, what = 'the top of the file'): Record<string, Json> => {
  if (!isObject(value)) throw new SourceRefused(`${what} is no object`)
  return value
}
