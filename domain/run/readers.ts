// Readers check a parsed document and bring it into its normal form. They are written by hand for two reasons. They are
// five times faster than a general validator. And they build every object with sorted keys, the order of canonical
// JSON.

import { isObject, type Json } from '../plain/is-object.ts'
import { isRawNumber, UNSORTABLE, withSortedKeys } from './canonical-json.ts'
import { clip, invalid } from './invalid-document.ts'

/**
 * Reads one value of a parsed document: returns it in its normal form, or throws a Mismatch for the first error. A
 * field is left out if its reader returns undefined.
 */
export type ValueReader<T> = ((value: unknown) => T) & {
  /**
   * Sorts the keys of the free-form values in what this reader returned; returns UNSORTABLE if that is impossible. A
   * reader without this method returns no free-form values: the keys of its objects are always sorted.
   */
  readonly sortKeys?: (read: never) => unknown
  /** What the reader accepts, as JSON Schema. */
  readonly schema?: JsonSchema
  /** Whether the reader accepts a field that is absent. */
  readonly isOptional?: true
}

/** The part of JSON Schema (draft 2020-12) that describes what readers accept. */
export type JsonSchema = {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string | undefined
  readonly enum?: ReadonlyArray<string | number>
  readonly minimum?: number
  readonly minLength?: number
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly additionalProperties?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
}

/** Adds what a reader accepts. */
export const withSchema = <T>(reader: ValueReader<T>, schema: JsonSchema): ValueReader<T> =>
  Object.assign(reader, { schema })

/** Any JSON value; never undefined. */
export type { Json }

type Fields = Readonly<Record<string, ValueReader<unknown>>>
type Optional<F extends Fields> = { [K in keyof F]: undefined extends ReturnType<F[K]> ? K : never }[keyof F]
type Flat<T> = { [K in keyof T]: T[K] }

/** The result of an `object` with these fields. */
export type Shape<F extends Fields> = Flat<
  { readonly [K in Exclude<keyof F, Optional<F>>]: ReturnType<F[K]> } & {
    readonly [K in Optional<F>]?: Exclude<ReturnType<F[K]>, undefined>
  }
>

/** An error and its path, which grows while the error passes through the containers. */
class Mismatch extends Error {
  path = ''
}

const within = (step: string, cause: unknown): unknown => {
  if (cause instanceof Mismatch)
    cause.path = step + (cause.path === '' || cause.path.startsWith('[') ? '' : '.') + cause.path
  return cause
}

/** Creates the error for a value; `problem` describes it. */
export const mismatch = (problem: string) => new Mismatch(problem)

/** Runs a reader on a whole value. Throws an InvalidDocument that names the path, with `root` in front if given. */
export const readAs = <T>(reader: ValueReader<T>, value: unknown, root = ''): T => {
  try {
    return reader(value)
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error
    if (root !== '') within(root, error)
    throw invalid(error.path === '' ? error.message : `${error.path}: ${error.message}`)
  }
}

const described = (value: unknown): string => {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (isRawNumber(value)) return clip(value.rawJSON)
  if (typeof value === 'object') return 'an object'
  return clip(JSON.stringify(typeof value === 'string' ? value.slice(0, 80) : value))
}

export const expectedError = (what: string, value: unknown) =>
  mismatch(value === undefined ? `missing, expected ${what}` : `expected ${what}, got ${described(value)}`)

/** An object with the known fields, sorted by key; other keys are dropped. */
export const object = <F extends Fields>(fields: F): ValueReader<Shape<F>> => {
  const sorted = Object.entries<ValueReader<unknown>>(fields).sort(([a], [b]) => (a < b ? -1 : 1))
  const freeForm = sorted.flatMap(([key, { sortKeys }]) => (sortKeys ? [{ key, sortKeys: sortKeys as SortKeys }] : []))
  const reader: ValueReader<Shape<F>> = (value) => {
    if (!isObject(value)) throw expectedError('an object', value)
    const read: Record<string, unknown> = {}
    let currentKey = ''
    try {
      for (const [key, field] of sorted) {
        currentKey = key
        const member = field(value[key])
        if (member !== undefined) read[key] = member
      }
    } catch (error) {
      throw within(currentKey, error)
    }
    // Safe: the reader of each field returned its type.
    return read as Shape<F>
  }
  return withSchema(
    freeForm.length === 0
      ? reader
      : sortable(reader, (value: Record<string, unknown>) => membersWithSortedKeys(value, freeForm)),
    {
      type: 'object',
      properties: Object.fromEntries(sorted.map(([key, { schema = {} }]) => [key, schema])),
      required: sorted.filter(([, { isOptional }]) => !isOptional).map(([key]) => key),
    },
  )
}

type SortKeys = (read: unknown) => unknown

const sortable = <T>(reader: (value: unknown) => T, sortKeys: (read: never) => unknown): ValueReader<T> =>
  Object.assign(reader, { sortKeys })

/** Sorts the keys inside the `freeForm` members; returns the same object if they are sorted already. */
const membersWithSortedKeys = (
  value: Record<string, unknown>,
  freeForm: ReadonlyArray<{ readonly key: string; readonly sortKeys: SortKeys }>,
): unknown => {
  let copy = value
  for (const { key, sortKeys } of freeForm) {
    const member = value[key]
    if (typeof member !== 'object' || member === null) continue
    const sorted = sortKeys(member)
    if (sorted === UNSORTABLE) return UNSORTABLE
    if (sorted === member) continue
    if (copy === value) copy = { ...value }
    copy[key] = sorted
  }
  return copy
}

export const array = <T>(item: ValueReader<T>): ValueReader<readonly T[]> => {
  const reader = (value: unknown) => {
    if (!Array.isArray(value)) throw expectedError('an array', value)
    const read: T[] = []
    try {
      for (const element of value) read.push(item(element))
    } catch (error) {
      throw within(`[${read.length}]`, error)
    }
    return read
  }
  const { sortKeys } = item
  return withSchema(
    sortKeys ? sortable(reader, (read: readonly T[]) => itemsWithSortedKeys(read, sortKeys as SortKeys)) : reader,
    { type: 'array', items: item.schema ?? {} },
  )
}

const itemsWithSortedKeys = (items: readonly unknown[], sortKeys: SortKeys): unknown => {
  let copy: unknown[] | undefined
  for (const [index, item] of items.entries()) {
    const sorted = sortKeys(item)
    if (sorted === UNSORTABLE) return UNSORTABLE
    if (sorted !== item) (copy ??= [...items])[index] = sorted
  }
  return copy ?? items
}

/** An object with arbitrary keys, which are sorted. */
export const map = <T>(item: ValueReader<T>): ValueReader<Readonly<Record<string, T>>> =>
  withSchema(
    sortable((value) => {
      if (!isObject(value)) throw expectedError('an object', value)
      let currentKey = ''
      try {
        // Object.fromEntries creates an own property for every key, `__proto__` included.
        return Object.fromEntries(
          Object.keys(value)
            .sort()
            .map((key) => [(currentKey = key), item(value[key])]),
        )
      } catch (error) {
        throw within(`[${JSON.stringify(clip(currentKey))}]`, error)
      }
    }, withSortedKeys),
    { type: 'object', additionalProperties: item.schema ?? {} },
  )

export const text: ValueReader<string> = withSchema(
  (value) => {
    if (typeof value !== 'string') throw expectedError('a string', value)
    return value
  },
  { type: 'string' },
)

export const IDENTITY_BYTES = 400

/** A name that filters use: well-formed, without NUL, at most 400 bytes of UTF-8. */
export const identity: ValueReader<string> = withSchema(
  (value) => {
    if (typeof value !== 'string') throw expectedError('a string', value)
    if (!value.isWellFormed()) throw mismatch(`a name must be well-formed Unicode, got ${described(value)}`)
    if (value.includes('\0')) throw mismatch(`a name must not contain NUL, got ${described(value)}`)
    // A UTF-16 unit takes at most three bytes, so the bytes of short names are not counted.
    if (value.length * 3 > IDENTITY_BYTES && Buffer.byteLength(value) > IDENTITY_BYTES) {
      throw mismatch(`a name has at most ${IDENTITY_BYTES} bytes of UTF-8, got ${described(value)}`)
    }
    return value
  },
  { type: 'string' },
)

/** Whether a text is a valid name in a run document. */
export const isName = (name: string): boolean =>
  name.isWellFormed() && !name.includes('\0') && Buffer.byteLength(name) <= IDENTITY_BYTES

export const nonEmptyIdentity: ValueReader<string> = withSchema(
  (value) => {
    if (value === '') throw mismatch('must not be empty')
    return identity(value)
  },
  { type: 'string', minLength: 1 },
)

export const boolean: ValueReader<boolean> = withSchema(
  (value) => {
    if (typeof value !== 'boolean') throw expectedError('true or false', value)
    return value
  },
  { type: 'boolean' },
)

// A number field is a double: a number that was left as text is rounded here, and minus zero becomes zero.
const double = (value: unknown) => {
  const number = isRawNumber(value) ? Number(value.rawJSON) : value
  return number === 0 ? 0 : number
}

export const number: ValueReader<number> = withSchema(
  (value) => {
    const read = double(value)
    if (typeof read !== 'number' || !Number.isFinite(read)) throw expectedError('a number', value)
    return read
  },
  { type: 'number' },
)

export const count: ValueReader<number> = withSchema(
  (value) => {
    const read = double(value)
    if (typeof read !== 'number' || !Number.isSafeInteger(read) || read < 0)
      throw expectedError('a non-negative integer', value)
    return read
  },
  { type: 'integer', minimum: 0 },
)

export const oneOfTexts = <const T extends string>(values: readonly T[]): ValueReader<T> => {
  const allowed = new Set<unknown>(values)
  return withSchema(
    (value) => {
      if (!allowed.has(value)) throw expectedError(`one of ${values.join(', ')}`, value)
      return value as T
    },
    { enum: values },
  )
}

/** Free-form JSON, returned unchanged. */
export const json: ValueReader<Json> = sortable((value): Json => {
  if (value === undefined) throw expectedError('a value', value)
  return value
}, withSortedKeys)

/** A free-form object, returned unchanged. */
export const freeObject: ValueReader<Readonly<Record<string, unknown>>> = withSchema(
  sortable((value) => {
    if (!isObject(value)) throw expectedError('an object', value)
    return value
  }, withSortedKeys),
  { type: 'object' },
)

/** Adds the `sortKeys` of the first reader, because the results of both have free-form values in the same places. */
export const sortableLike = <T>({ sortKeys }: ValueReader<unknown>, reader: (value: unknown) => T): ValueReader<T> =>
  sortKeys ? sortable(reader, sortKeys) : reader

/** A reader of a field that may be absent. */
const ofOptionalField = <T>(reader: ValueReader<T>, schema: JsonSchema): ValueReader<T> =>
  Object.assign(withSchema(reader, schema), { isOptional: true } as const)

/** A field that may be absent or null; it is left out then. */
export const optional = <T>(reader: ValueReader<T>): ValueReader<Exclude<T, null> | undefined> =>
  ofOptionalField(
    // Safe: no reader returns null for a value that is not null.
    sortableLike(reader, (value) =>
      value === undefined || value === null ? undefined : (reader(value) as Exclude<T, null>),
    ),
    orNull(reader.schema ?? {}),
  )

const orNull = (schema: JsonSchema): JsonSchema => {
  if (typeof schema.type === 'string') return { ...schema, type: [schema.type, 'null'] }
  return schema.anyOf ? { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] } : schema
}

/** A field that has a default if it is absent, so that it always exists. */
export const withDefault = <T>(reader: ValueReader<T>, value: T): ValueReader<T> =>
  ofOptionalField(
    sortableLike(reader, (received) => (received === undefined ? value : reader(received))),
    { ...reader.schema, default: value },
  )

/** A field that is left out if it is absent, zero or empty. */
export const unlessEmpty = <T extends number | object>(reader: ValueReader<T>): ValueReader<T | undefined> =>
  ofOptionalField(
    sortableLike(reader, (received) => {
      if (received === undefined) return undefined
      const read = reader(received)
      return read === 0 || (typeof read === 'object' && isEmpty(read)) ? undefined : read
    }),
    reader.schema ?? {},
  )

const isEmpty = (value: object) => {
  for (const _ in value) return false
  return true
}
