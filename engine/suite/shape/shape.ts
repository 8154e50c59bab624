import { isRawNumber } from '../../../domain/run/canonical-json.ts'
import type { Json, JsonObject } from '../../json.ts'
import { child, type Path } from '../issues.ts'
import { didYouMean, quotedNames } from '../../../domain/text/nearest.ts'
import { hasKey, isList, isMapping, typeName } from '../values.ts'

/** A finding of a check. `onKey`: the key of the path is at fault, not its value. */
export type Finding = { readonly kind: 'unknown-key' | 'missing-key' | 'value'; readonly onKey: boolean }
export type Report = (path: Path, message: string, finding: Finding) => void

export type JsonSchema = { readonly [key: string]: Json }
/** The shared parts of a schema, by name: they become its `$defs`. */
export type Definitions = Map<string, JsonSchema>

/**
 * What one value of a suite file may be. The check and the JSON Schema are made from the same table, so that the schema
 * accepts the values whose normal form the check accepts. `T` is the type of an accepted value.
 */
export type Shape<T> = {
  /** Whether the value is accepted; every reason against it is reported. */
  readonly check: (value: Json, at: Path, report: Report) => boolean
  readonly schema: (definitions: Definitions) => JsonSchema
  /**
   * Returns a value without keys that say no more than absent ones: an optional key with null, unless the key accepts
   * null, and one with the null, the empty list or the empty mapping that is its default. Absent: values of this shape stay as they are.
   */
  readonly normal?: (value: Json) => Json
  /** The keys of a closed mapping. */
  readonly keys?: readonly string[]
  /** Never present: it carries the type. */
  readonly accepts?: T
}
export type Accepted<S> = S extends Shape<infer T> ? T : never

const VALUE: Finding = { kind: 'value', onKey: false }

/** A shape for one test of the value, with the words for what is accepted. */
const simple = <T>(expected: string, accepts: (value: Json) => boolean, schema: JsonSchema): Shape<T> => ({
  check: (value, at, report) => {
    if (accepts(value)) return true
    report(at, `expected ${expected}, got ${seen(value)}`, VALUE)
    return false
  },
  schema: () => schema,
})

/** Longer texts are not repeated in messages. */
const MAX_SEEN = 40

/** Names a value in a message: short texts and numbers as they are, all else by type. */
const seen = (value: Json): string => {
  if (typeof value === 'string') return value.length <= MAX_SEEN ? `the string ${JSON.stringify(value)}` : 'a string'
  if (isRawNumber(value)) return `${value.rawJSON}, which no double holds`
  if (typeof value === 'number') return JSON.stringify(value)
  if (typeof value === 'boolean') return String(value)
  return value === null ? 'null (leave the key out for its default)' : typeName(value)
}

export const text: Shape<string> = simple('a string', (value) => typeof value === 'string', { type: 'string' })
export const boolean: Shape<boolean> = simple('true or false', (value) => typeof value === 'boolean', {
  type: 'boolean',
})
export const number: Shape<number> = simple('a number', (value) => typeof value === 'number', { type: 'number' })
export const nonNegative: Shape<number> = simple(
  'a number of at least 0',
  (value) => typeof value === 'number' && value >= 0,
  { type: 'number', minimum: 0 },
)
export const positive: Shape<number> = simple('a number above 0', (value) => typeof value === 'number' && value > 0, {
  type: 'number',
  exclusiveMinimum: 0,
})
export const integer = (minimum: number): Shape<number> =>
  simple(
    `a whole number of at least ${minimum}`,
    (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= minimum,
    { type: 'integer', minimum, maximum: Number.MAX_SAFE_INTEGER },
  )
/** Any value, without a look inside. */
export const anything: Shape<Json> = { check: () => true, schema: () => ({}) }
/** A mapping whose inside is not the suite's. */
export const mapping: Shape<JsonObject> = simple('a mapping', isMapping, { type: 'object' })

/** A text out of a list. The nearest one is proposed for a misspelled text. */
export const choice = <const T extends string>(what: string, accepted: readonly T[]): Shape<T> => ({
  check: (value, at, report) => {
    if (typeof value === 'string' && (accepted as readonly string[]).includes(value)) return true
    const fault =
      typeof value === 'string' && value.length <= MAX_SEEN
        ? `unknown ${what} \`${value}\``
        : `expected one of the accepted texts, got ${seen(value)}`
    const hint = typeof value === 'string' ? didYouMean(value, accepted) : ''
    report(at, `${fault}; accepted: ${quotedNames(accepted)}${hint}`, VALUE)
    return false
  },
  schema: () => ({ type: 'string', enum: accepted }),
})

/** A list. */
export const list = <T>(item: Shape<T>, { min = 0 }: { readonly min?: number } = {}): Shape<readonly T[]> => ({
  check: (value, at, report) => {
    if (!isList(value)) {
      report(at, `expected a list, got ${seen(value)}`, VALUE)
      return false
    }
    if (value.length < min) {
      report(at, `expected a list of at least ${min} ${min === 1 ? 'entry' : 'entries'}, got an empty list`, VALUE)
      return false
    }
    let accepted = true
    for (let index = 0; index < value.length; index++)
      if (!item.check(value[index]!, child(at, index), report)) accepted = false
    return accepted
  },
  schema: (definitions) => ({
    type: 'array',
    items: item.schema(definitions),
    ...(min === 0 ? {} : { minItems: min }),
  }),
  ...(item.normal && { normal: (value: Json) => (isList(value) ? changedItems(value, item.normal!) : value) }),
})

/** A mapping from any key to values of one shape. */
export const mapOf = <T>(member: Shape<T>): Shape<Readonly<Record<string, T>>> => ({
  check: (value, at, report) => {
    if (!isMapping(value)) {
      report(at, `expected a mapping, got ${seen(value)}`, VALUE)
      return false
    }
    let accepted = true
    for (const [key, item] of Object.entries(value)) if (!member.check(item, child(at, key), report)) accepted = false
    return accepted
  },
  schema: (definitions) => ({ type: 'object', additionalProperties: member.schema(definitions) }),
  ...(member.normal && {
    normal: (value: Json) => (isMapping(value) ? changedMembers(value, (item) => member.normal!(item)) : value),
  }),
})

const changedItems = (items: readonly Json[], change: (item: Json) => Json): Json => {
  const changed = items.map(change)
  return changed.some((item, index) => item !== items[index]) ? changed : items
}

/** Changes members, or leaves them out if `change` returns undefined. */
const changedMembers = (members: JsonObject, change: (member: Json, key: string) => Json | undefined): Json => {
  let copy: Record<string, Json> | undefined
  for (const key of Object.keys(members)) {
    const member = members[key]!
    const changed = change(member, key)
    if (changed === member) continue
    copy ??= { ...members }
    if (changed === undefined) delete copy[key]
    else copy[key] = changed
  }
  return copy ?? members
}

/** A key of a closed mapping. */
export type Field<T, Required extends boolean = boolean> = {
  readonly shape: Shape<T>
  readonly required: Required
  readonly description: string
  /** What counts if the key is absent. */
  readonly fallback?: Json
}

export const required = <T>(shape: Shape<T>, description: string): Field<T, true> => ({
  shape,
  required: true,
  description,
})
export const optional = <T>(shape: Shape<T>, description: string, fallback?: Json): Field<T, false> => ({
  shape,
  required: false,
  description,
  ...(fallback === undefined ? {} : { fallback }),
})

export type Fields = Readonly<Record<string, Field<unknown>>>
type Flat<T> = { readonly [K in keyof T]: T[K] }
/** The type of a closed mapping with these fields. */
export type Closed<F extends Fields> = Flat<
  { readonly [K in keyof F as F[K] extends Field<unknown, true> ? K : never]: Accepted<F[K]['shape']> } & {
    readonly [K in keyof F as F[K] extends Field<unknown, true> ? never : K]?: Accepted<F[K]['shape']>
  }
>

/** A mapping with these keys and no others. `what` names it in messages: `a test`, `a provider`. */
export const closed = <F extends Fields>(what: string, fields: F): Shape<Closed<F>> => {
  const names = Object.keys(fields)
  // Shapes may refer to each other, so the keys that accept null are found on demand.
  let nullable: ReadonlySet<string> | undefined
  return {
    keys: names,
    check: (value, at, report) => {
      if (!isMapping(value)) {
        report(at, `expected ${what} as a mapping, got ${seen(value)}`, VALUE)
        return false
      }
      const members: JsonObject = value
      let accepted = true
      for (const key of Object.keys(members)) {
        const field = hasKey(fields, key) ? fields[key] : undefined
        if (field === undefined) {
          const message = `unknown key \`${key}\` in ${what}; accepted keys: ${quotedNames(names)}${didYouMean(key, names)}`
          report(child(at, key), message, { kind: 'unknown-key', onKey: true })
          accepted = false
        } else if (!field.shape.check(members[key]!, child(at, key), report)) accepted = false
      }
      for (const key of names)
        if (fields[key]!.required && !hasKey(members, key)) {
          report(at, `the key \`${key}\` is missing in ${what}`, { kind: 'missing-key', onKey: true })
          accepted = false
        }
      return accepted
    },
    normal: (value) => {
      if (!isMapping(value)) return value
      nullable ??= new Set(names.filter((name) => acceptsNull(fields[name]!.shape)))
      const known = nullable
      return changedMembers(value, (member, key) => {
        const field = hasKey(fields, key) ? fields[key]! : undefined
        if (field === undefined) return member
        if (!field.required && ((member === null && !known.has(key)) || isEmptyDefault(member, field))) return undefined
        return field.shape.normal?.(member) ?? member
      })
    },
    schema: (definitions) => {
      const needed = names.filter((name) => fields[name]!.required)
      return {
        type: 'object',
        properties: Object.fromEntries(names.map((name) => [name, fieldSchema(name, fields[name]!, definitions)])),
        ...(needed.length === 0 ? {} : { required: needed }),
        additionalProperties: false,
      }
    },
  }
}

const acceptsNull = (shape: Shape<unknown>): boolean => shape.check(null, null, () => {})

/** Whether a value is the null, the empty list or the empty mapping that counts if the key is absent. */
const isEmptyDefault = (value: Json, { fallback }: Field<unknown>): boolean => {
  if (value === null) return fallback === null
  if (isList(value)) return value.length === 0 && isList(fallback) && fallback.length === 0
  return (
    isMapping(value) && isMapping(fallback) && Object.keys(value).length === 0 && Object.keys(fallback).length === 0
  )
}

const fieldSchema = (
  name: string,
  { shape, required: isRequired, description, fallback }: Field<unknown>,
  definitions: Definitions,
): JsonSchema => {
  const schema = shape.schema(definitions)
  return {
    title: name,
    description,
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(isRequired || acceptsNull(shape) ? schema : { anyOf: [schema, { type: 'null' }] }),
  }
}

/** A shape with a name: its schema is written once, under `$defs`. */
export const named = <T>(name: string, shape: Shape<T>): Shape<T> => ({
  check: shape.check,
  schema: (definitions) => {
    if (!definitions.has(name)) {
      // Reserved first: a shape may contain itself.
      definitions.set(name, {})
      definitions.set(name, shape.schema(definitions))
    }
    return { $ref: `#/$defs/${name}` }
  },
  ...(shape.normal && { normal: shape.normal }),
  ...(shape.keys && { keys: shape.keys }),
})

/**
 * A value of one of several shapes. `choose` picks the only shape that the value can be meant as, so that messages speak
 * of that one; undefined: none, and `expected` says what is accepted.
 */
export const either = <const S extends ReadonlyArray<Shape<unknown>>>(
  expected: string,
  shapes: S,
  choose: (value: Json) => S[number] | undefined,
): Shape<Accepted<S[number]>> => ({
  check: (value, at, report) => {
    const shape = choose(value)
    if (shape !== undefined) return shape.check(value, at, report)
    report(at, `expected ${expected}, got ${seen(value)}`, VALUE)
    return false
  },
  schema: (definitions) => ({ anyOf: shapes.map((shape) => shape.schema(definitions)) }),
  normal: (value) => choose(value)?.normal?.(value) ?? value,
})

/**
 * A mapping whose key `type` says which other keys it has. `note` follows the accepted types in messages; `shown` are
 * those that messages list, if not all.
 */
export const byType = <T>(
  what: string,
  shapes: ReadonlyMap<string, Shape<T>>,
  description: string,
  note = '',
  shown: readonly string[] = [...shapes.keys()],
): Shape<T> => ({
  check: (value, at, report) => {
    const accepted = `accepted: ${quotedNames(shown)}${note === '' ? '' : `; ${note}`}`
    if (!isMapping(value)) {
      report(at, `expected ${what} as a mapping, got ${seen(value)}`, VALUE)
      return false
    }
    const { type }: JsonObject = value
    if (type === undefined) {
      // A misspelled `type` is one of these, too.
      const known = [...new Set([...shapes.values()].flatMap(({ keys = [] }) => keys))]
      for (const key of Object.keys(value))
        if (!known.includes(key))
          report(child(at, key), `unknown key \`${key}\` in ${what}${didYouMean(key, known)}`, {
            kind: 'unknown-key',
            onKey: true,
          })
      report(at, `the key \`type\` is missing in ${what}; ${accepted}`, {
        kind: 'missing-key',
        onKey: true,
      })
      return false
    }
    const shape = typeof type === 'string' ? shapes.get(type) : undefined
    if (shape !== undefined) return shape.check(value, at, report)
    const hint = typeof type === 'string' ? didYouMean(type, [...shapes.keys()]) : ''
    report(child(at, 'type'), `unknown type of ${what}: ${seen(type)}; ${accepted}${hint}`, VALUE)
    return false
  },
  schema: (definitions) => ({
    type: 'object',
    required: ['type'],
    properties: { type: { title: 'type', description, enum: [...shapes.keys()] } },
    anyOf: [...new Set(shapes.values())].map((shape) => shape.schema(definitions)),
  }),
  normal: (value) => {
    const type = isMapping(value) ? (value as JsonObject)['type'] : undefined
    const shape = typeof type === 'string' ? shapes.get(type) : undefined
    return shape?.normal?.(value) ?? value
  },
})
