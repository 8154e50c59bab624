import { slugOf } from './slug.ts'

// The reference of the API as Markdown, from its OpenAPI document: a page for each tag, and one of all types.

type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly description?: string
  readonly default?: unknown
}
type Media = { readonly schema?: Schema; readonly example?: unknown }
type Content = Readonly<Record<string, Media>>
type Operation = {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly parameters?: ReadonlyArray<{
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly description?: string
    readonly schema: Schema
  }>
  readonly requestBody?: { readonly content: Content }
  readonly 'x-scope'?: string
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>
}
type ApiDocument = {
  readonly info: { readonly version: string }
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const SCOPES: Readonly<Record<string, string>> = {
  none: 'Needs no credential.',
  review: 'Needs the scope `review`.',
  read: 'Needs the scope `read`, unless the service lets anyone read.',
  write: 'Needs the scope `write`, unless the service is open.',
  admin: 'Needs the scope `admin`, unless the service is open.',
}

/** The page of the types. */
const TYPES = 'types.md'
const UNION = ' or '

/** A text in a cell of a table. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
/** Prose of the document: what looks like a tag is text. */
const prose = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll('<', '&lt;')))
    .join('')
const json = (value: unknown): string => `\`${JSON.stringify(value)}\``

/** The type of a value in words, with links to the types that have names. */
const typeOf = (schema: Schema | undefined): string => {
  if (schema === undefined) return 'any'
  const { $ref: reference, enum: choices, items, additionalProperties: others } = schema
  if (reference !== undefined) {
    const name = reference.split('/').at(-1) ?? ''
    return `[${name}](${TYPES}#${slugOf(name)})`
  }
  if (schema.const !== undefined) return json(schema.const)
  if (choices !== undefined) return choices.map(json).join(', ')
  const parts = schema.anyOf ?? schema.oneOf
  if (parts !== undefined) return [...new Set(parts.map(typeOf))].join(UNION)
  if (schema.allOf !== undefined) return schema.allOf.map(typeOf).join(' with ')
  return [schema.type ?? 'any']
    .flat()
    .map((type) => {
      if (type === 'array') return `array of ${typeOf(items)}`
      if (type === 'object' && typeof others === 'object' && schema.properties === undefined)
        return `object of ${typeOf(others)}`
      return type
    })
    .join(UNION)
}

/** A table of the fields of an object, with those of objects in it that have no name: `a.b`, and `a[].b` in arrays. */
const fieldsOf = (schema: Schema): string => {
  const rows = (from: Schema, prefix: string): string[] =>
    Object.entries(from.properties ?? {}).flatMap(([name, field]) => {
      const path = `${prefix}${name}`
      const isNeeded = from.required?.includes(name) === true
      const meaning = [isNeeded ? '' : 'Optional.', field.description ?? ''].filter((text) => text !== '').join(' ')
      const inner = field.type === 'array' ? field.items : field
      return [
        `| \`${path}\` | ${cell(typeOf(field))} | ${cell(prose(meaning))} |`,
        ...(inner?.properties === undefined ? [] : rows(inner, `${path}${inner === field ? '' : '[]'}.`)),
      ]
    })
  const all = rows(schema, '')
  return all.length === 0 ? '' : ['| Field | Type | Meaning |', '|---|---|---|', ...all].join('\n')
}

const exampleOf = (title: string, value: unknown): string =>
  value === undefined
    ? ''
    : `<details>\n<summary>${title}</summary>\n\n\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\`\n\n</details>`

/** A body in words, with its fields if its type has no name, and its example. */
const bodyOf = (title: string, content: Content): string[] =>
  Object.entries(content).flatMap(([media, { schema, example }]) => [
    `${title}: ${cell(typeOf(schema))}${media === 'application/json' ? '' : ` (\`${media}\`)`}`,
    schema === undefined ? '' : fieldsOf(schema),
    exampleOf(`Example of the ${title === 'Body' ? 'body' : 'answer'}`, example),
  ])

const operationText = (method: string, path: string, operation: Operation): string => {
  const { summary, description, parameters = [], requestBody, responses } = operation
  const answers = Object.entries(responses).filter(([code]) => /^[23]/.test(code))
  const refusals = Object.entries(responses).filter(([code]) => /^[45]/.test(code))
  return [
    `## ${prose(summary)}`,
    `\`${method.toUpperCase()} ${path}\``,
    prose(description ?? ''),
    SCOPES[operation['x-scope'] ?? ''] ?? '',
    parameters.length === 0
      ? ''
      : [
          '| Parameter | Where | Type | Meaning |',
          '|---|---|---|---|',
          ...parameters.map((each) => {
            const fallback = each.schema.default === undefined ? '' : `Default: ${json(each.schema.default)}.`
            const meaning = [each.description ?? '', fallback].filter((text) => text !== '').join(' ')
            const where = each.required === true && each.in !== 'path' ? `${each.in}, required` : each.in
            return `| \`${each.name}\` | ${where} | ${cell(typeOf(each.schema))} | ${cell(prose(meaning))} |`
          }),
        ].join('\n'),
    ...(requestBody === undefined ? [] : bodyOf('Body', requestBody.content)),
    ...answers.flatMap(([code, { description: text, content = {} }]) =>
      Object.keys(content).length === 0 ? [`Answer ${code}: ${prose(text)}`] : bodyOf(`Answer ${code}`, content),
    ),
    refusals.length === 0
      ? ''
      : `Refusals:\n\n${refusals.map(([code, { description: text }]) => `- ${code}: ${prose(text)}`).join('\n')}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** The pages of the reference by their paths. `value` is an OpenAPI document as the service makes it. */
export const apiPages = (value: unknown): Map<string, string> => {
  const document = value as ApiDocument
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
  const tags = document.tags.filter(({ name }) => operations.some(({ operation }) => operation.tags[0] === name))
  const ofTag = (tag: string) => operations.filter(({ operation }) => operation.tags[0] === tag)
  const index = [
    '# API',
    `All routes of version ${document.info.version}, from the document that the service serves at <a href="/api/v1/openapi.json" target="_self">/api/v1/openapi.json</a>. A request has its credential in the header \`Authorization: Bearer …\`: an API key, or a token of the service ([access](../access.md)). Errors are JSON objects with the text \`error\`. [A tour of the API](../api-tour.md) shows the main ones with \`curl\`.`,
    ...tags.flatMap(({ name, description }) => [
      `## [${name}](${name}.md)`,
      prose(description),
      ofTag(name)
        .map(({ method, path, operation: { summary } }) => {
          const link = `${name}.md#${slugOf(summary)}`
          return `- [\`${method.toUpperCase()} ${path}\`](${link}): ${prose(summary)}`
        })
        .join('\n'),
    ]),
  ]
  const types = Object.entries(document.components.schemas).flatMap(([name, schema]) => [
    `## ${name}`,
    prose(schema.description ?? ''),
    schema.properties === undefined ? cell(typeOf(schema)) : fieldsOf(schema),
  ])
  const pages = tags.map(({ name, description }) => {
    const texts = ofTag(name).map(({ method, path, operation }) => operationText(method, path, operation))
    return [`api/${name}.md`, [`# API: ${name}`, prose(description), ...texts].join('\n\n')] as const
  })
  return new Map([
    ['api/index.md', index.join('\n\n')],
    ...pages,
    [`api/${TYPES}`, ['# Types', 'The types of bodies and answers that have names.', ...types].join('\n\n')],
  ])
}
