import { DOCUMENT_SCHEMA, SCHEMA_WINDOW } from '../run/document.ts'
import type { JsonSchema } from '../run/readers.ts'
import { EXAMPLE } from './example.ts'
import { FIELDS } from './fields.ts'

const ORDER = new Map(Object.keys(FIELDS).map((path, position) => [path, position]))
const fieldPosition = (path: string): number => ORDER.get(path) ?? ORDER.size

/** The schema with a description for each field, and the fields in the order of `FIELDS`. */
const described = (schema: JsonSchema, path: string): JsonSchema => {
  const inner = (key: string): string => (path === '' ? key : `${path}.${key}`)
  const properties = Object.entries(schema.properties ?? {}).sort(
    ([a], [b]) => fieldPosition(inner(a)) - fieldPosition(inner(b)),
  )
  const { items, additionalProperties, anyOf, required } = schema
  return {
    ...schema,
    ...(FIELDS[path] === undefined ? {} : { description: FIELDS[path] }),
    ...(properties.length === 0
      ? {}
      : { properties: Object.fromEntries(properties.map(([key, field]) => [key, described(field, inner(key))])) }),
    ...(required ? { required: properties.flatMap(([key]) => (required.includes(key) ? [key] : [])) } : {}),
    ...(items ? { items: described(items, `${path}[]`) } : {}),
    ...(additionalProperties ? { additionalProperties: described(additionalProperties, inner('*')) } : {}),
    // The alternatives of a field have its path, so only their own fields get descriptions.
    ...(anyOf ? { anyOf: anyOf.map((part) => ({ ...described(part, path), description: undefined })) } : {}),
  }
}

/**
 * The run document as JSON Schema (draft 2020-12), made from the readers that check uploads. Some rules are not in it:
 * names have at most 400 bytes of UTF-8 and no NUL, and the digits of instants are limited to nanoseconds.
 */
export const documentSchema = () => {
  const { properties = {}, required = [] } = DOCUMENT_SCHEMA.run
  const whole: JsonSchema = {
    type: 'object',
    properties: {
      ...properties,
      schema_version: { type: 'integer', enum: [SCHEMA_WINDOW.min, SCHEMA_WINDOW.max] },
      cases: { type: 'array', items: DOCUMENT_SCHEMA.case },
    },
    required: [...required, 'cases'],
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Run document',
    ...described(whole, ''),
    examples: [EXAMPLE],
  }
}
