import { inOrder, isRawNumber, NO_ORDER } from './canonical-json.ts'
import { clip, invalid } from './invalid-document.ts'

/**
 * Reads one value of a parsed document: checks it and answers it in its normal form, or throws a Mismatch at the first
 * thing wrong. A field whose reader answers undefined is left out.
 */
export type Reader<T> = ((value: unknown) => T) & {
  /**
   * Brings the free-form values inside of what this reader answered in canonical order; NO_ORDER where none can be. A
   * reader without it answers nothing free-form: its objects are in order as they are.
   */
  readonly order?: (read: never) => unknown
}

/** Any JSON value; never undefined. */
export type Json = NonNullable<unknown> | null

type Fields = Readonly<Record<string, Reader<unknown>>>
type Optional<F extends Fields> = { [K in keyof F]: undefined extends ReturnType<F[K]> ? K : never }[keyof F]
type Flat<T> = { [K in keyof T]: T[K] }

/** What an `object` of these fields answers. */
export type Shape<F extends Fields> = Flat<
  { readonly [K in Exclude<keyof F, Optional<F>>]: ReturnType<F[K]> } & {
    readonly [K in Optional<F>]?: Exclude<ReturnType<F[K]>, undefined>
  }
>

/** What is wrong, and where: the path grows while the error passes the containers. */
class Mismatch extends Error {
  path = ''
}

const within = (step: string, cause: unknown): unknown => {
  if (cause instanceof Mismatch)
    cause.path = step + (cause.path === '' || cause.path.startsWith('[') ? '' : '.') + cause.path
  return cause
}

/** Refuses a value; `problem` says what is wrong with it. */
export const mismatch = (problem: string) => new Mismatch(problem)

/**
 * Runs a reader on a whole value; what does not fit is an InvalidDocument that names the path, below `root` when given.
 */
export const readAs = <T>(reader: Reader<T>, value: unknown, root = ''): T => {
  try {
    return reader(value)
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error
    if (root !== '') within(root, error)
    throw invalid(error.path === '' ? error.message : `${error.path}: ${error.message}`)
  }
}

const seen = (value: unknown): string => {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (isRawNumber(value)) return clip(value.rawJSON)
  if (typeof value === 'object') return 'an object'
  return clip(JSON.stringify(typeof value === 'string' ? value.slice(0, 80) : value))
}

export const expected = (what: string, value: unknown) =>
  mismatch(value === undefined ? `missing, expected ${what}` : `expected ${what}, got ${seen(value)}`)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value)

/** The known fields, in sorted order whatever the order sent; other keys are dropped. */
export const object = <F extends Fields>(fields: F): Reader<Shape<F>> => {
  const sorted = Object.entries<Reader<unknown>>(fields).sort(([a], [b]) => (a < b ? -1 : 1))
  const free = sorted.flatMap(([key, { order }]) => (order ? [{ key, order: order as Order }] : []))
  const read: Reader<Shape<F>> = (value) => {
    if (!isObject(value)) throw expected('an object', value)
    const read: Record<string, unknown> = {}
    let at = ''
    try {
      for (const [key, field] of sorted) {
        at = key
        const member = field(value[key])
        if (member !== undefined) read[key] = member
      }
    } catch (error) {
      throw within(at, error)
    }
    // Each field was read by its own reader, as the type says.
    return read as Shape<F>
  }
  return free.length === 0 ? read : ordered(read, (value: Record<string, unknown>) => membersInOrder(value, free))
}

type Order = (read: unknown) => unknown

const ordered = <T>(reader: (value: unknown) => T, order: (read: never) => unknown): Reader<T> =>
  Object.assign(reader, { order })

/** The object with the members that `free` names in order; itself where they are already. */
const membersInOrder = (
  value: Record<string, unknown>,
  free: ReadonlyArray<{ readonly key: string; readonly order: Order }>,
): unknown => {
  let copy = value
  for (const { key, order } of free) {
    const member = value[key]
    if (typeof member !== 'object' || member === null) continue
    const brought = order(member)
    if (brought === NO_ORDER) return NO_ORDER
    if (brought === member) continue
    if (copy === value) copy = { ...value }
    copy[key] = brought
  }
  return copy
}

export const array = <T>(item: Reader<T>): Reader<readonly T[]> => {
  const reader = (value: unknown) => {
    if (!Array.isArray(value)) throw expected('an array', value)
    const read: T[] = []
    try {
      for (const element of value) read.push(item(element))
    } catch (error) {
      throw within(`[${read.length}]`, error)
    }
    return read
  }
  const { order } = item
  return order ? ordered(reader, (read: readonly T[]) => itemsInOrder(read, order as Order)) : reader
}

const itemsInOrder = (items: readonly unknown[], order: Order): unknown => {
  let copy: unknown[] | undefined
  for (const [at, item] of items.entries()) {
    const brought = order(item)
    if (brought === NO_ORDER) return NO_ORDER
    if (brought !== item) (copy ??= [...items])[at] = brought
  }
  return copy ?? items
}

/** An object of any keys, which are sorted. */
export const map = <T>(item: Reader<T>): Reader<Readonly<Record<string, T>>> =>
  ordered((value) => {
    if (!isObject(value)) throw expected('an object', value)
    let at = ''
    try {
      // Object.fromEntries makes an own property of every key, `__proto__` too.
      return Object.fromEntries(
        Object.keys(value)
          .sort()
          .map((key) => [(at = key), item(value[key])]),
      )
    } catch (error) {
      throw within(`[${JSON.stringify(clip(at))}]`, error)
    }
  }, inOrder)

export const text: Reader<string> = (value) => {
  if (typeof value !== 'string') throw expected('a string', value)
  return value
}

export const IDENTITY_BYTES = 400

/** Text that names something and is filtered by: well-formed, without NUL, at most 400 bytes of UTF-8. */
export const identity: Reader<string> = (value) => {
  if (typeof value !== 'string') throw expected('a string', value)
  if (!value.isWellFormed()) throw mismatch(`a name must be well-formed Unicode, got ${seen(value)}`)
  if (value.includes('\0')) throw mismatch(`a name must not hold NUL, got ${seen(value)}`)
  // A UTF-16 unit takes three bytes at most, so short names need no count.
  if (value.length * 3 > IDENTITY_BYTES && Buffer.byteLength(value) > IDENTITY_BYTES) {
    throw mismatch(`a name takes at most ${IDENTITY_BYTES} bytes of UTF-8, got ${seen(value)}`)
  }
  return value
}

/** Whether a run could bear the name. */
export const isName = (name: string): boolean =>
  name.isWellFormed() && !name.includes('\0') && Buffer.byteLength(name) <= IDENTITY_BYTES

export const nonEmptyIdentity: Reader<string> = (value) => {
  if (value === '') throw mismatch('must not be empty')
  return identity(value)
}

export const boolean: Reader<boolean> = (value) => {
  if (typeof value !== 'boolean') throw expected('true or false', value)
  return value
}

// A number field is a double: what was kept as text for exactness is rounded here, and minus zero is zero.
const double = (value: unknown) => {
  const number = isRawNumber(value) ? Number(value.rawJSON) : value
  return number === 0 ? 0 : number
}

export const number: Reader<number> = (value) => {
  const read = double(value)
  if (typeof read !== 'number' || !Number.isFinite(read)) throw expected('a number', value)
  return read
}

export const count: Reader<number> = (value) => {
  const read = double(value)
  if (typeof read !== 'number' || !Number.isSafeInteger(read) || read < 0)
    throw expected('a non-negative integer', value)
  return read
}

export const oneOf = <const T extends string>(values: readonly T[]): Reader<T> => {
  const known = new Set<unknown>(values)
  return (value) => {
    if (!known.has(value)) throw expected(`one of ${values.join(', ')}`, value)
    return value as T
  }
}

/** Free-form JSON, taken as it is. */
export const json: Reader<Json> = ordered((value): Json => {
  if (value === undefined) throw expected('a value', value)
  return value
}, inOrder)

/** A free-form object, taken as it is. */
export const freeObject: Reader<Readonly<Record<string, unknown>>> = ordered((value) => {
  if (!isObject(value)) throw expected('an object', value)
  return value
}, inOrder)

/** The reader made of another one: what it answers holds the same free-form values. */
export const like = <T>({ order }: Reader<unknown>, reader: (value: unknown) => T): Reader<T> =>
  order ? ordered(reader, order) : reader

/** Null counts as absent, and absent is left out. */
export const optional = <T>(reader: Reader<T>): Reader<Exclude<T, null> | undefined> =>
  // The reader is given something that is not null, and none makes null of that.
  like(reader, (value) => (value === undefined || value === null ? undefined : (reader(value) as Exclude<T, null>)))

/** Takes the default when absent, and is always there. */
export const defaulted = <T>(reader: Reader<T>, value: T): Reader<T> =>
  like(reader, (sent) => (sent === undefined ? value : reader(sent)))

/** Left out when absent, zero or empty. */
export const unlessEmpty = <T extends number | object>(reader: Reader<T>): Reader<T | undefined> =>
  like(reader, (sent) => {
    if (sent === undefined) return undefined
    const read = reader(sent)
    return read === 0 || (typeof read === 'object' && isEmpty(read)) ? undefined : read
  })

const isEmpty = (value: object) => {
  for (const _ in value) return false
  return true
}
