// Types of Python for the schemas of an OpenAPI document.

/** The keywords of a JSON Schema that the document uses. */
export type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  readonly description?: string
}

type Types = {
  /** The type of a schema. A shape without a name in the document gets this one. */
  readonly typeOf: (schema: Schema, name: string) => string
  /** The TypedDicts of all shapes that a type named. */
  readonly text: () => string
}

const SIMPLE: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
  array: 'list[Any]',
  object: 'dict[str, Any]',
}

/** The words that Python reserves (3.10 to 3.14). */
export const KEYWORDS: ReadonlySet<string> = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
)

const pascal = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('')

/**
 * Returns the Python types of the named schemas of a document, and a function that adds types of further schemas.
 */
export const pythonTypes = (schemas: Readonly<Record<string, Schema>>): Types => {
  const written = new Map<string, string>()
  /** Names by shape: two places with the same shape have one type. */
  const names = new Map<string, string>()

  const nameOf = (schema: Schema, wanted: string): string => {
    const shape = JSON.stringify(schema)
    const known = names.get(shape)
    if (known !== undefined) return known
    const taken = new Set([...names.values(), ...Object.keys(schemas)])
    let name = pascal(wanted)
    for (let n = 2; taken.has(name); n += 1) name = `${pascal(wanted)}${n}`
    names.set(shape, name)
    written.set(name, shapeText(name, schema))
    return name
  }

  const shapeText = (name: string, { properties = {}, required = [], description }: Schema): string => {
    const fields = Object.entries(properties).map(([key, field]) => {
      const type = typeOf(field, `${name}_${key}`)
      return { key, type: required.includes(key) ? type : `NotRequired[${type}]` }
    })
    const about = description === undefined ? '' : `    """${description.replaceAll(/["\\]/g, "'")}"""\n\n`
    // A key that is no name of Python needs the form of a call, whose types are read when the module is loaded.
    if (fields.some(({ key }) => !/^[A-Za-z_]\w*$/.test(key) || KEYWORDS.has(key)))
      return `${name} = TypedDict(\n    "${name}",\n    {\n${fields.map(({ key, type }) => `        ${JSON.stringify(key)}: ${JSON.stringify(type)},\n`).join('')}    },\n)\n`
    return `class ${name}(TypedDict):\n${about}${fields.map(({ key, type }) => `    ${key}: ${type}\n`).join('') || '    pass\n'}`
  }

  const union = (types: readonly string[]): string => {
    const distinct = [...new Set(types)]
    if (distinct.includes('Any')) return 'Any'
    return [...distinct.filter((type) => type !== 'None'), ...distinct.filter((type) => type === 'None')].join(' | ')
  }

  const literals = (values: readonly unknown[]): string =>
    union(values.map((value) => (value === null ? 'None' : `Literal[${literalText(value)}]`))).replaceAll(
      '] | Literal[',
      ', ',
    )

  const typeOf: Types['typeOf'] = (schema, name) => {
    const { $ref, type, anyOf, oneOf, items, properties, additionalProperties } = schema
    if ($ref !== undefined) return $ref.slice($ref.lastIndexOf('/') + 1)
    if (schema.enum) return literals(schema.enum)
    if ('const' in schema) return literals([schema.const])
    const parts = anyOf ?? oneOf
    if (parts && parts.every((part) => part.type === undefined || part.type === type)) return simple(type)
    if (parts) return union(parts.map((part) => typeOf(part, name)))
    if (Array.isArray(type)) return union(type.map((one: string) => typeOf({ ...schema, type: one }, name)))
    if (type === 'array' && items && Object.keys(items).length > 0) return `list[${typeOf(items, `${name}_item`)}]`
    if (properties && Object.keys(properties).length > 0) return nameOf(schema, name)
    if (typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0)
      return `dict[str, ${typeOf(additionalProperties, `${name}_value`)}]`
    return simple(type)
  }

  const simple = (type: Schema['type']): string => (typeof type === 'string' ? (SIMPLE[type] ?? 'Any') : 'Any')

  for (const [name, schema] of Object.entries(schemas)) names.set(JSON.stringify(schema), name)
  for (const [name, schema] of Object.entries(schemas))
    written.set(
      name,
      schema.properties ? shapeText(name, schema) : `${name} = ${typeOf({ ...schema }, `${name}Value`)}\n`,
    )

  const text = (): string => `from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    # In the standard library since Python 3.11. Annotations are not evaluated, so only type checkers read it.
    from typing_extensions import NotRequired


${[...written.values()].join('\n\n')}

__all__ = [
${[...written.keys()].map((name) => `    "${name}",\n`).join('')}]
`
  return { typeOf, text }
}

const literalText = (value: unknown): string =>
  value === true ? 'True' : value === false ? 'False' : JSON.stringify(value)
