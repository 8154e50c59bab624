import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { EXAMPLE } from '../../../domain/document-format/example.ts'
import { FIELDS } from '../../../domain/document-format/fields.ts'
import { documentSchema } from '../../../domain/document-format/schema.ts'
import { openDocument } from '../../../domain/run/document.ts'
import type { JsonSchema } from '../../../domain/run/readers.ts'
import { realDocuments, theExample } from '../../support/documents/documents.ts'

const matchesSchema = new Ajv2020({ strict: false, validateFormats: false }).compile(documentSchema())
const isAccepted = (document: unknown): boolean => {
  try {
    const opened = openDocument(Buffer.from(JSON.stringify(document)))
    for (let index = 0; index < opened.caseCount; index++) opened.caseAt(index)
    return true
  } catch {
    return false
  }
}

const hasInstants = (document: unknown): boolean =>
  ['started_at', 'finished_at'].every(
    (field) => !Number.isNaN(Date.parse(String((document as Readonly<Record<string, unknown>>)[field]))),
  )

/** All paths of the schema that name a field. */
const pathsIn = (schema: JsonSchema, path = ''): string[] => [
  ...Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    const inner = path === '' ? key : `${path}.${key}`
    return [inner, ...pathsIn(field, inner)]
  }),
  ...(schema.items ? pathsIn(schema.items, `${path}[]`) : []),
  ...(schema.additionalProperties ? [`${path}.*`] : []),
  ...(schema.anyOf ?? []).flatMap((part) => pathsIn(part, path)),
]

/** Every copy of a JSON value in which one member, at any depth, has another value. */
const altered = (value: unknown, other: unknown): unknown[] => {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => {
    const replaced = (replacement: unknown) =>
      Array.isArray(value)
        ? value.map((item: unknown, index) => (index === Number(key) ? replacement : item))
        : { ...value, [key]: replacement }
    return [replaced(other), ...altered(member, other).map(replaced)]
  })
}

describe('the schema of run documents', () => {
  it('describes every field, and describes no field that does not exist', () =>
    expect([...new Set(pathsIn(documentSchema()))].sort()).toEqual(Object.keys(FIELDS).sort()))

  it('lists the fields in the order of the descriptions', () => {
    expect(Object.keys(documentSchema().properties ?? {})).toEqual(
      Object.keys(FIELDS).filter((path) => !/[.[]/.test(path)),
    )
  })

  it('accepts the example, which the service accepts too', () => {
    expect(matchesSchema(EXAMPLE)).toBe(true)
    expect(isAccepted(EXAMPLE)).toBe(true)
  })

  it('accepts every real document', () => {
    const refused = realDocuments().flatMap(({ name, bytes }) =>
      matchesSchema(JSON.parse(bytes.toString())) ? [] : [{ name, errors: matchesSchema.errors }],
    )
    expect(refused).toEqual([])
  })

  it.each([
    ['null', null],
    ['a text', 'x'],
    ['a number', -1.5],
    ['true', true],
    ['a list', [[]]],
    ['an object', { a: { b: 1 } }],
    ['nothing', undefined],
  ])('agrees with the service where a field is %s', (_name, other) => {
    const documents = altered(theExample(), other).map((document) => JSON.parse(JSON.stringify(document)) as unknown)
    // The validator does not check the format of instants.
    const differing = documents.filter(
      (document) => (matchesSchema(document) && hasInstants(document)) !== isAccepted(document),
    )
    expect(differing).toEqual([])
  })
})
