import type { Json } from '../../domain/run/readers.ts'

export type JsonObject = Readonly<Record<string, Json>>

/**
 * An object of a source, whose members are taken one by one. A member that is taken is removed from the object, so
 * that what remains at the end is what no importer has read: nothing can be lost by an oversight. A member with a type
 * that the importer does not expect stays.
 *
 * The object is changed: pass a value that was parsed for this purpose.
 */
export type Row = {
  /** Where the object is in the source, with `*` for indexes. */
  readonly path: string
  readonly has: (key: string) => boolean
  readonly keys: () => readonly string[]
  /** Returns a member without taking it. */
  readonly peek: (key: string) => unknown
  /** Takes a member of any type. Null if it is absent or null. */
  readonly take: (key: string) => Json
  /** Takes a text; null if the member is no text. */
  readonly text: (key: string) => string | null
  /** Takes a text or a number, as text. */
  readonly id: (key: string) => string | null
  /** Takes a finite number. */
  readonly number: (key: string) => number | null
  readonly boolean: (key: string) => boolean | null
  /** Takes an array of texts. */
  readonly texts: (key: string) => readonly string[] | null
  /** A member that is an object, as a row. Its members are taken from it; what they leave stays in this row. */
  readonly row: (key: string) => Row | null
  /** The elements of a member that are objects, as rows. */
  readonly rows: (key: string) => readonly Row[]
  /** What was not taken, without objects and arrays that became empty; null if nothing is left. */
  readonly rest: () => JsonObject | null
}

export const isObject = (value: unknown): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const rowOf = (value: Record<string, Json>, path: string): Row => {
  const at = (key: string) => (path === '' ? key : `${path}.${key}`)
  const get = (key: string): Json | undefined => (Object.hasOwn(value, key) ? value[key] : undefined)
  const takeIf = <T extends Json>(key: string, isWanted: (member: Json | undefined) => member is T): T | null => {
    const member = get(key)
    if (!isWanted(member)) return null
    delete value[key]
    return member
  }
  return {
    path,
    has: (key) => get(key) !== undefined && get(key) !== null,
    keys: () => Object.keys(value),
    peek: get,
    take: (key) => {
      const member = get(key)
      delete value[key]
      return member ?? null
    },
    text: (key) => takeIf(key, isText),
    id: (key) => {
      const found = takeIf(key, isTextOrNumber)
      return found === null ? null : String(found)
    },
    number: (key) => takeIf(key, isNumber),
    boolean: (key) => takeIf(key, isBoolean),
    texts: (key) => takeIf(key, isTexts),
    row: (key) => {
      const member = get(key)
      return isObject(member) ? rowOf(member, at(key)) : null
    },
    rows: (key) => {
      const member = get(key)
      return Array.isArray(member)
        ? member.flatMap((item: Json) => (isObject(item) ? [rowOf(item, `${at(key)}.*`)] : []))
        : []
    },
    rest: () => (withoutEmpty(value) ?? null) as JsonObject | null,
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
const isTextOrNumber = (value: unknown): value is string | number => isText(value) || isNumber(value)
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText)

/** Copies a value without empty objects, empty arrays and nulls; undefined if nothing is left. Elements keep their place. */
export const withoutEmpty = (value: unknown): unknown => {
  if (value === null) return undefined
  if (typeof value !== 'object') return value
  if (Array.isArray(value)) {
    const items = value.map(withoutEmpty)
    return items.every((item) => item === undefined) ? undefined : items.map((item) => item ?? null)
  }
  const members = Object.entries(value).flatMap(([key, member]) => {
    const left = withoutEmpty(member)
    return left === undefined ? [] : [[key, left] as const]
  })
  return members.length === 0 ? undefined : Object.fromEntries(members)
}
