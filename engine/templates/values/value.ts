import { isRawNumber } from '../../../domain/run/canonical-json.ts'
import type { Json, JsonObject } from '../../json.ts'
import { TemplateError } from '../template-error.ts'

/**
 * A value inside a template. Integers are bigints, floats are numbers: `1` and `1.0` print differently. `undefined` is
 * the value of a missing name, key or index.
 */
export type Value =
  | undefined
  | Nothing
  | null
  | boolean
  | bigint
  | number
  | string
  | SafeText
  | readonly Value[]
  | MapValue
  | Callable

class Nothing {
  readonly isNothing = true
}

/** The value of `x if c` with a false c: an undefined value that prints as empty text. */
export const NOTHING = new Nothing()

/** A text that the filter `e` leaves alone. Everything else treats it as its text. */
export class SafeText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export type Key = string | bigint | number | boolean | null

/** A mapping. Its keys are in order, so that it always prints and iterates the same way. */
export class MapValue {
  readonly #entries: Map<Key, Value>
  readonly isNamespace: boolean

  private constructor(entries: Map<Key, Value>, isNamespace: boolean) {
    this.#entries = entries
    this.isNamespace = isNamespace
  }

  /** A later pair replaces an earlier one of the same key. */
  static from(pairs: Iterable<readonly [Key, Value]>, isNamespace = false): MapValue {
    return new MapValue(sorted(new Map(pairs)), isNamespace)
  }

  get = (key: Key): Value => this.#entries.get(key)
  has = (key: Key): boolean => this.#entries.has(key)
  get size(): number {
    return this.#entries.size
  }
  keys = (): Key[] => [...this.#entries.keys()]
  pairs = (): Array<[Key, Value]> => [...this.#entries]

  set(key: string, value: Value): void {
    const isNew = !this.#entries.has(key)
    this.#entries.set(key, value)
    if (!isNew) return
    const pairs = [...sorted(this.#entries)]
    this.#entries.clear()
    for (const [name, member] of pairs) this.#entries.set(name, member)
  }
}

const sorted = (entries: Map<Key, Value>): Map<Key, Value> => {
  let previous: Key | undefined
  for (const key of entries.keys()) {
    if (previous !== undefined && compare(previous, key) > 0)
      return new Map([...entries].sort(([one], [other]) => compare(one, other)))
    previous = key
  }
  return entries
}

/** A function, a macro or a loop: what can be called. */
export type Callable = {
  readonly call: (args: CallArguments) => Value
  readonly label: string
  /** The attributes of a macro or a loop. */
  readonly attribute?: (name: string) => Value
}

export type CallArguments = { readonly positional: readonly Value[]; readonly named: ReadonlyMap<string, Value> }

/** Names of the items of a list, for the groups of `groupby`. */
export const ITEM_NAMES = Symbol('names')

export const isCallable = (value: Value): value is Callable =>
  typeof value === 'object' && value !== null && 'call' in value

/** Whether a value is undefined: no operation but `is defined`, `is undefined` and `default` accepts it. */
export const isUndefined = (value: Value): value is undefined | Nothing => value === undefined || value === NOTHING

export type Defined = Exclude<Value, undefined | Nothing>

/** Whether a value is a list. */
export const isList = (value: Value): value is readonly Value[] => Array.isArray(value)

/** The name of a value's type, for messages. */
export const typeName = (value: Value): string => {
  if (isUndefined(value)) return 'undefined'
  if (value === null) return 'none'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'bigint') return 'integer'
  if (typeof value === 'number') return 'float'
  if (typeof value === 'string' || value instanceof SafeText) return 'string'
  if (isList(value)) return 'list'
  return value instanceof MapValue ? 'map' : 'function'
}

/** The text of a safe text; any other value as it is. */
export const plain = (value: Value): Value => (value instanceof SafeText ? value.text : value)

const INTEGER_BITS = 127n
const MAX_INTEGER = 2n ** INTEGER_BITS - 1n
const MIN_INTEGER = -(2n ** INTEGER_BITS)

/** Returns an integer. Throws if it needs more than 128 bits. */
export const integer = (value: bigint): bigint => {
  if (value > MAX_INTEGER || value < MIN_INTEGER) throw new TemplateError('an integer is out of range (128 bits)')
  return value
}

// Host values nested deeper would exhaust the stack.
const MAX_NESTING = 500

/**
 * Converts a JSON value. A number with an integral value is an integer, unless it is a `RawNumber` with a fraction or an
 * exponent. Only own data keys are read.
 */
export const fromJson = (json: Json, depth = 0): Value => {
  if (typeof json === 'number') return fromNumber(json)
  if (typeof json !== 'object' || json === null) return json
  if (depth > MAX_NESTING) throw new TemplateError(`a value is nested deeper than ${MAX_NESTING} levels`)
  if (isJsonList(json)) return json.map((item) => fromJson(item, depth + 1))
  if (isRawNumber(json)) return fromRawNumber(json.rawJSON)
  const members: JsonObject = json
  const pairs: Array<[Key, Value]> = []
  for (const key of Object.keys(members)) {
    const member = members[key]
    if (member !== undefined) pairs.push([key, fromJson(member, depth + 1)])
  }
  return MapValue.from(pairs)
}

const isJsonList = (json: Json): json is readonly Json[] => Array.isArray(json)

const MAX_INTEGER_DOUBLE = 2 ** Number(INTEGER_BITS)

const fromNumber = (value: number): bigint | number =>
  Number.isInteger(value) && Math.abs(value) < MAX_INTEGER_DOUBLE ? BigInt(value) : value

const fromRawNumber = (token: string): bigint | number => {
  if (!/^-?\d{1,40}$/.test(token)) return Number(token)
  const exact = BigInt(token)
  return exact > MAX_INTEGER || exact < MIN_INTEGER ? Number(token) : exact
}

/** Truth of a defined value: empty text, list and map, zero and none are false. */
export const isTrue = (value: Defined): boolean => {
  if (isList(value)) return value.length > 0
  if (value instanceof MapValue) return value.size > 0
  if (value instanceof SafeText) return value.text !== ''
  if (typeof value === 'number') return value !== 0
  return Boolean(value)
}

const TYPE_ORDER = ['undefined', 'none', 'bool', 'number', 'string', 'list', 'map', 'function']

const typeRank = (value: Value): number => {
  const type = typeName(value)
  return TYPE_ORDER.indexOf(type === 'integer' || type === 'float' ? 'number' : type)
}

/** Compares texts by code points. */
const compareTexts = (one: string, other: string): number => {
  const length = Math.min(one.length, other.length)
  for (let index = 0; index < length; index++) {
    const [left, right] = [one.charCodeAt(index), other.charCodeAt(index)]
    if (left === right) continue
    // A surrogate represents a code point above all others.
    return isSurrogate(left) === isSurrogate(right) ? left - right : isSurrogate(left) ? 1 : -1
  }
  return one.length - other.length
}

const isSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdfff

const numeric = (value: Value): bigint | number | null =>
  typeof value === 'boolean' ? BigInt(value) : typeof value === 'bigint' || typeof value === 'number' ? value : null

const isOrdered = (value: Value): value is boolean | bigint | number =>
  typeof value === 'boolean' || typeof value === 'bigint' || typeof value === 'number'

/** Orders two values: below zero, zero or above. Values of different types are ordered by type. */
export const compare = (left: Value, right: Value): number => {
  const [one, other] = [plain(left), plain(right)]
  if (typeof one === 'string' && typeof other === 'string') return compareTexts(one, other)
  if (isOrdered(one) && isOrdered(other) && typeRank(one) === typeRank(other))
    return one < other ? -1 : one > other ? 1 : 0
  if (isList(one) && isList(other)) return compareLists(one, other)
  if (one instanceof MapValue && other instanceof MapValue) return compareLists(one.pairs(), other.pairs())
  return typeRank(one) - typeRank(other)
}

const compareLists = (one: readonly Value[], other: readonly Value[]): number => {
  const length = Math.min(one.length, other.length)
  for (let index = 0; index < length; index++) {
    const order = compare(one[index], other[index])
    if (order !== 0) return order
  }
  return one.length - other.length
}

/** Whether two values are equal. `1` equals `1.0`, and no text equals a number. */
export const equal = (left: Value, right: Value): boolean => {
  const [one, other] = [plain(left), plain(right)]
  const [oneNumber, otherNumber] = [numeric(one), numeric(other)]
  // Loose equality compares an integer and a float by value.
  if (oneNumber !== null && otherNumber !== null)
    return !(oneNumber < otherNumber) && !(oneNumber > otherNumber) && !isNaNs(oneNumber, otherNumber)
  if (isList(one) && isList(other))
    return one.length === other.length && one.every((item, index) => equal(item, other[index]))
  if (one instanceof MapValue && other instanceof MapValue)
    return one.size === other.size && one.keys().every((key) => other.has(key) && equal(one.get(key), other.get(key)))
  return one === other
}

const isNaNs = (one: bigint | number, other: bigint | number) => Number.isNaN(one) || Number.isNaN(other)

/** The key of a map for a value. `1.0` is the key `1`. Throws for lists and maps. */
export const asKey = (value: Value): Key => {
  const key = plain(value)
  if (typeof key === 'number') return Number.isInteger(key) ? BigInt(key) : key
  if (typeof key === 'string' || typeof key === 'bigint' || typeof key === 'boolean' || key === null) return key
  throw new TemplateError(`a value of type ${typeName(key)} cannot be a key of a map`)
}
