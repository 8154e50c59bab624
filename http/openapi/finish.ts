import EXAMPLES from './examples.json' with { type: 'json' }
import { describeParameter, meaningOf } from './words.ts'

type Media = { schema?: object; example?: unknown }
type Response = { description?: string; content?: Record<string, Media> }
type Parameter = { in: string; name: string; description?: string | undefined; schema?: Record<string, unknown> }
type Operation = {
  operationId?: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, Response>
}

/** The parts of the OpenAPI document that are completed. */
export type OpenApiDocument = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object> }
}

/** Examples by operation: of its request, and of its responses by status. A spec writes the file from real responses. */
type Examples = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** What the schema library writes for a response without a description. */
const NO_DESCRIPTION = 'Default Response'

/**
 * Completes the document of all routes: one schema for each shape, a meaning for each status and parameter, the defaults
 * of parameters, and examples. What a route declares itself stays.
 */
export const finishDocument = (document: OpenApiDocument): OpenApiDocument => {
  const finished = JSON.parse(withoutInputNames(document)) as OpenApiDocument
  for (const [path, methods] of Object.entries(finished.paths))
    for (const operation of Object.values(methods)) finishOperation(path, operation)
  return { ...finished, components: { ...finished.components, schemas: usedSchemas(finished) } }
}

const finishOperation = (path: string, operation: Operation): void => {
  const examples: Readonly<Record<string, unknown>> = (EXAMPLES as Examples)[operation.operationId ?? ''] ?? {}
  for (const parameter of operation.parameters ?? []) finishParameter(path, parameter)
  giveExample(operation.requestBody?.content, examples['request'])
  for (const [status, response] of Object.entries(operation.responses)) {
    if ((response.description ?? NO_DESCRIPTION) === NO_DESCRIPTION) response.description = meaningOf(status)
    giveExample(response.content, examples[status])
  }
}

const giveExample = (content: Record<string, Media> | undefined, example: unknown): void => {
  const media = content?.['application/json']
  if (media && example !== undefined) media.example = example
}

const finishParameter = (path: string, parameter: Parameter): void => {
  parameter.description ??= describeParameter(path, parameter.name)
  const { schema } = parameter
  if (schema && 'x-default' in schema) {
    const { 'x-default': fallback, ...rest } = schema
    parameter.schema = { ...rest, default: fallback }
  }
}

/**
 * Returns the text of the document, in which a schema has one name. The schema library writes each schema twice, as
 * `Run` for responses and as `RunInput` for requests. The second is dropped if it is the same or is used nowhere, and
 * has the name of the first if only the second is used.
 */
const withoutInputNames = (document: OpenApiDocument): string => {
  const { schemas } = document.components
  const used = usedSchemas(document)
  const text = JSON.stringify(document)
  const renamed = Object.keys(used).filter((name) => {
    const plain = name.replace(/Input$/, '')
    return plain !== name && plain in schemas && (!(plain in used) || isSame(schemas, name, plain))
  })
  const named = renamed.reduce(
    (all, name) =>
      all.replaceAll(`"#/components/schemas/${name}"`, `"#/components/schemas/${name.replace(/Input$/, '')}"`),
    text,
  )
  if (renamed.length === 0) return named
  const result = JSON.parse(named) as OpenApiDocument
  for (const name of renamed) {
    const plain = name.replace(/Input$/, '')
    result.components.schemas[plain] = result.components.schemas[name] ?? {}
    delete result.components.schemas[name]
  }
  return JSON.stringify(result)
}

const isSame = (schemas: Record<string, object>, input: string, plain: string): boolean =>
  JSON.stringify(schemas[input]).replaceAll(/(schemas\/\w+?)Input"/g, '$1"') === JSON.stringify(schemas[plain])

/** The schemas that an operation uses, directly or through another schema, by name. */
const usedSchemas = ({ paths, components: { schemas } }: OpenApiDocument): Record<string, object> => {
  const used = new Set<string>()
  const waiting = referencesIn(paths)
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (used.has(name)) continue
    used.add(name)
    waiting.push(...referencesIn(schemas[name] ?? {}))
  }
  return Object.fromEntries(
    Object.entries(schemas)
      .filter(([name]) => used.has(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

const referencesIn = (part: object): string[] =>
  [...JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name)
