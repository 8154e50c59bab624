import { isObject } from '../../domain/plain/is-object.ts'
import { isKnown } from '../document/known.ts'
import { isRawNumber, type RawNumber } from '../../domain/run/canonical-json.ts'
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
  /** A text that is not empty, and a finite number, without taking them; null if the member is none. */
  readonly peekText: (key: string) => string | null
  readonly peekNumber: (key: string) => number | null
  /** The object with the members that were not taken yet. */
  readonly value: Record<string, Json>
  /** Takes a member of any type. Null if it is absent or null. */
  readonly take: (key: string) => Json
  /** Takes a text; null if the member is no text. */
  readonly text: (key: string) => string | null
  /** Takes a text or a number, as text. */
  readonly id: (key: string) => string | null
  /** Takes a finite number. */
  readonly number: (key: string) => number | null
  readonly boolean: (key: string) => boolean | null
  /** Takes an object as it is; null if the member is none. */
  readonly object: (key: string) => JsonObject | null
  /** Takes an array of texts. */
  readonly texts: (key: string) => readonly string[] | null
  /** A member that is an object, as a row. Its members are taken from it; what they leave stays in this row. */
  readonly row: (key: string) => Row | null
  /** The elements of a member that are objects, as rows. */
  readonly rows: (key: string) => readonly Row[]
  /** What was not taken, without objects and arrays that became empty; null if nothing is left. */
  readonly rest: () => JsonObject | null
}

export { isObject }

export const rowOf = (value: Record<string, Json>, path: string): Row => new ParsedRow(value, path)

/** A class, because a case can have many rows: the functions of each would take a part of the time of an import. */
class ParsedRow implements Row {
  readonly value: Record<string, Json>
  readonly path: string

  constructor(value: Record<string, Json>, path: string) {
    this.value = value
    this.path = path
  }

  has(key: string): boolean {
    return isKnown(this.peek(key))
  }

  keys(): readonly string[] {
    return Object.keys(this.value)
  }

  peek(key: string): Json | undefined {
    return Object.hasOwn(this.value, key) ? this.value[key] : undefined
  }

  peekText(key: string): string | null {
    const member = this.peek(key)
    return isText(member) && member !== '' ? member : null
  }

  peekNumber(key: string): number | null {
    const member = this.peek(key)
    return isNumber(member) ? member : null
  }

  take(key: string): Json {
    const member = this.peek(key)
    delete this.value[key]
    return member ?? null
  }

  text(key: string): string | null {
    return this.#takeIf(key, isText)
  }

  id(key: string): string | null {
    const found = this.#takeIf(key, isTextOrNumber)
    return found === null ? null : isRawNumber(found) ? found.rawJSON : String(found)
  }

  number(key: string): number | null {
    return this.#takeIf(key, isNumber)
  }

  boolean(key: string): boolean | null {
    return this.#takeIf(key, isBoolean)
  }

  object(key: string): JsonObject | null {
    return this.#takeIf(key, isObject)
  }

  texts(key: string): readonly string[] | null {
    return this.#takeIf(key, isTexts)
  }

  row(key: string): Row | null {
    const member = this.peek(key)
    return isObject(member) ? rowOf(member, this.#at(key)) : null
  }

  rows(key: string): readonly Row[] {
    const member = this.peek(key)
    return Array.isArray(member)
      ? member.flatMap((item: Json) => (isObject(item) ? [rowOf(item, `${this.#at(key)}.*`)] : []))
      : []
  }

  rest(): JsonObject | null {
    return (withoutEmpty(this.value) ?? null) as JsonObject | null
  }

  #at(key: string): string {
    return this.path === '' ? key : `${this.path}.${key}`
  }

  #takeIf<T extends Json>(key: string, isWanted: (member: Json | undefined) => member is T): T | null {
    const member = this.peek(key)
    if (!isWanted(member)) return null
    delete this.value[key]
    return member
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
const isTextOrNumber = (value: unknown): value is string | number | RawNumber =>
  isText(value) || isNumber(value) || isRawNumber(value)
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText)

/** Copies a value without empty objects, empty arrays and nulls; undefined if nothing is left. Elements keep their place. */
export const withoutEmpty = (value: unknown): unknown => {
  if (value === null) return undefined
  if (typeof value !== 'object') return value
  if (Array.isArray(value)) return itemsWithoutEmpty(value)
  // A number that no double represents is an object here.
  return isRawNumber(value) ? value : membersWithoutEmpty(value)
}

const itemsWithoutEmpty = (items: readonly unknown[]): unknown => {
  let isEmpty = true
  const left = items.map((item) => {
    const found = withoutEmpty(item)
    if (found !== undefined) isEmpty = false
    return found ?? null
  })
  return isEmpty ? undefined : left
}

// Loops, because this runs over most of a source.
const membersWithoutEmpty = (value: object): unknown => {
  const members = value as Record<string, unknown>
  let left: Record<string, unknown> | undefined
  for (const key of Object.keys(members)) {
    const found = withoutEmpty(members[key])
    if (found === undefined) continue
    left ??= {}
    if (key === '__proto__') Object.defineProperty(left, key, { value: found, ...OWN })
    else left[key] = found
  }
  return left
}

const OWN = { enumerable: true, configurable: true, writable: true } as const
