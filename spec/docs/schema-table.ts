type Schema = { readonly [key: string]: unknown }

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: '`true`, `false`',
  object: 'mapping',
  null: '`null`',
}

/** Words for shared parts of the schema whose names say too little. */
const PARTS: Readonly<Record<string, string>> = { fileReference: '`{$file: …}`', graderProvider: 'mapping' }

/** The keys of a mapping. Every optional key accepts null, too: the page says so once. */
export const keysIn = (schema: Schema): Readonly<Record<string, Schema>> =>
  Object.fromEntries(
    Object.entries(schema['properties'] as Readonly<Record<string, Schema>>).map(([key, { anyOf, ...field }]) => {
      const others = Array.isArray(anyOf) ? anyOf.filter((one) => !isSchema(one) || one['type'] !== 'null') : []
      return [
        key,
        others.length === 1 ? { ...field, ...others[0] } : { ...field, ...(anyOf !== undefined && { anyOf }) },
      ]
    }),
  )

/** The type of a value in words: `text`, `list of text`, a choice, or the names of the accepted alternatives. */
const typeOf = (schema: Schema): string => {
  const { $ref: reference, const: constant, enum: choices, type, items, then: accepted, else: otherwise } = schema
  const alternatives = schema['anyOf'] ?? schema['oneOf']
  const part = typeof reference === 'string' ? reference.slice('#/$defs/'.length) : undefined
  if (part !== undefined) return PARTS[part] ?? part
  if (constant !== undefined) return `\`${JSON.stringify(constant)}\``
  if (Array.isArray(choices)) {
    // A choice that is accepted in both cases is listed once.
    const words = choices.map(String)
    return words
      .filter((word) => word === word.toUpperCase() || !words.includes(word.toUpperCase()))
      .map((word) => `\`${word}\``)
      .join(', ')
  }
  if (isSchema(accepted) && isSchema(otherwise)) return `${typeOf(accepted)} or ${typeOf(otherwise)}`
  if (Array.isArray(alternatives)) return [...new Set(alternatives.filter(isSchema).map(typeOf))].join(' or ')
  if (type === 'array')
    return `list of ${isSchema(items) && Object.keys(items).length > 0 ? typeOf(items) : 'any values'}`
  return typeof type === 'string' ? (TYPES[type] ?? type) : 'any'
}

const meaningOf = ({ description }: Schema): string => (typeof description === 'string' ? description : '')

const cell = (text: string): string => text.replaceAll('|', '\\|')

/** A Markdown table of the keys of a mapping, without `left out` keys. */
export const tableOf = (schema: Schema, leftOut: ReadonlySet<string> = new Set()): string => {
  const needed = new Set((schema['required'] as readonly string[] | undefined) ?? [])
  const rows = Object.entries(keysIn(schema))
    .filter(([key]) => !leftOut.has(key))
    .map(([key, field]) => {
      const fallback = field['default'] === undefined ? '' : `\`${JSON.stringify(field['default'])}\``
      const meaning = meaningOf(field)
      return `| \`${key}\` | ${cell(typeOf(field))} | ${needed.has(key) ? '**required**' : fallback} | ${cell(meaning)} |\n`
    })
  return `| Key | Type | Default | Meaning |\n|---|---|---|---|\n${rows.join('')}`
}

/** A Markdown table of all kinds of assertions and their own fields. */
export const assertionsTable = (definitions: Readonly<Record<string, Schema>>, common: ReadonlySet<string>): string => {
  const kinds = Object.entries(definitions).filter(([name]) => name.startsWith('assertion.'))
  const rows = kinds.flatMap(([name, schema]) => {
    const needed = new Set((schema['required'] as readonly string[] | undefined) ?? [])
    const fields = Object.entries(keysIn(schema)).filter(([key]) => !common.has(key))
    return fields.map(([key, field]) => {
      const type = typeOf(field)
      const meaning = meaningOf(field)
      return `| \`${name.slice('assertion.'.length)}\` | \`${key}\`${needed.has(key) ? ', required' : ''} | ${cell(type)} | ${cell(meaning)} |\n`
    })
  })
  return `| Kind | Field | Type | Meaning |\n|---|---|---|---|\n${rows.join('')}`
}

/** The page with its generated parts, those between `<!-- generated: name -->` and `<!-- end -->`, made again. */
export const withGenerated = (page: string, tables: ReadonlyMap<string, string>): string =>
  page.replace(
    /(<!-- generated: (\S+) -->\n)[^]*?(<!-- end -->)/g,
    (_all, start: string, name: string, end: string) => {
      const table = tables.get(name)
      if (table === undefined) throw new Error(`there is no table ${name}`)
      return `${start}\n${table}\n${end}`
    },
  )
