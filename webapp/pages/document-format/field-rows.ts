/** The part of JSON Schema that the page reads. */
export type Schema = {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly enum?: ReadonlyArray<string | number>
  readonly minimum?: number
  readonly minLength?: number
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly additionalProperties?: Schema
  readonly anyOf?: readonly Schema[]
}

export type FieldRow = {
  /** Names of the fields around it, and its own: `cases[].cell.test_id`. */
  readonly path: string
  readonly depth: number
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly description: string
  readonly values: ReadonlyArray<string | number>
}

/** A type in words: `text or null`, `list of texts`, `whole number`. */
export const typeWords = (schema: Schema): string => {
  if (schema.enum) return 'one of'
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeWords))].join(' or ')
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? [])
  if (types.length === 0) return 'any JSON'
  return types.map((type) => wordOf(type, schema)).join(' or ')
}

const wordOf = (type: string, schema: Schema): string => {
  if (type === 'string') return schema.format === 'date-time' ? 'time' : 'text'
  if (type === 'integer') return schema.minimum === 0 ? 'whole number, 0 or more' : 'whole number'
  if (type === 'array') return schema.items ? `list of ${typeWords(schema.items)}` : 'list'
  return type
}

const fieldsIn = (schema: Schema, isRequired: boolean, path: string, depth: number): FieldRow[] => {
  const inner = schema.items ?? schema.additionalProperties
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const fieldPath = path === '' ? name : `${path}.${name}`
    const needed = isRequired && (schema.required ?? []).includes(name)
    const row: FieldRow = {
      path: fieldPath,
      depth,
      name,
      type: typeWords(field),
      isRequired: (schema.required ?? []).includes(name),
      description: field.description ?? '',
      values: field.enum ?? [],
    }
    return [row, ...fieldsIn(field, needed, fieldPath, depth + 1)]
  })
  return [
    ...members,
    ...(inner ? fieldsIn(inner, isRequired, `${path}${schema.items ? '[]' : '.*'}`, depth) : []),
    ...(schema.anyOf ?? []).flatMap((part) => fieldsIn(part, isRequired, path, depth)),
  ]
}

/** All fields of a schema, those of objects below them. A field of several alternatives is listed once. */
export const fieldRows = (schema: Schema): readonly FieldRow[] => {
  const rows = new Map<string, FieldRow>()
  for (const row of fieldsIn(schema, true, '', 0)) if (!rows.has(row.path)) rows.set(row.path, row)
  return [...rows.values()]
}
