import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { LightMyRequestResponse } from 'fastify'

type Media = { readonly schema: object; readonly example?: unknown }
type Content = Readonly<Record<string, Media>>
type Operation = {
  readonly operationId?: string
  readonly summary?: string
  readonly 'x-scope'?: string
  readonly security?: readonly object[]
  readonly responses: Readonly<Record<string, { readonly description?: string; readonly content?: Content }>>
  readonly parameters?: readonly object[]
  readonly requestBody?: { readonly content?: Content }
  readonly tags?: readonly string[]
}

/** The parts of an OpenAPI document that the specs read. */
export type ApiDocument = {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string; readonly license?: object }
  readonly servers?: readonly object[]
  readonly tags?: ReadonlyArray<{ readonly name: string; readonly description?: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>>; readonly securitySchemes: object }
}

const pointer = (...parts: readonly string[]): string =>
  parts.map((part) => `/${encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('')

type Answers = ReturnType<typeof compileChecks>

/** Cached checks, by the text of their document: to compile its schemas takes longer than all checks of an app. */
const checksByDocument = new Map<string, Answers>()

/** Returns functions that check a response against the document's schema for its route and status. */
export const answerChecker = (document: ApiDocument): Answers => {
  const text = JSON.stringify(document)
  const checks = checksByDocument.get(text) ?? compileChecks(document)
  checksByDocument.set(text, checks)
  return checks
}

const compileChecks = (document: ApiDocument) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
  ajv.addSchema({ $id: 'api', ...document })
  const compiled = new Map<string, ValidateFunction>()
  const compile = (location: string): ValidateFunction => {
    const validator = compiled.get(location) ?? ajv.compile({ $ref: `api#${location}` })
    compiled.set(location, validator)
    return validator
  }

  /** Returns what is wrong with a response, or null if it matches the document. */
  const problem = (
    path: string,
    method: string,
    { statusCode, body, headers }: Pick<LightMyRequestResponse, 'statusCode' | 'body' | 'headers'>,
  ): string | null => {
    const operation = document.paths[path]?.[method.toLowerCase()]
    if (!operation) return `${method} ${path} is not documented`
    const status = operation.responses[statusCode] ? String(statusCode) : 'default'
    const response = operation.responses[status]
    if (!response) return `${method} ${path} documents no ${statusCode}`
    if (!response.content) return body === '' ? null : `${statusCode} has a body`
    // A stream of events has no end.
    if (response.content['text/event-stream']) return null
    // A response of another type has no schema to check.
    const type = [headers['content-type']].flat()[0] ?? ''
    const types = [type, type.replace(/;.*/, '')].filter((name) => name in (response.content ?? {}))
    if (!response.content['application/json'] || (types.length > 0 && !types.includes('application/json')))
      return body === '' ? `${method} ${path} has no body` : null
    const validate = compile(
      pointer('paths', path, method.toLowerCase(), 'responses', status, 'content', 'application/json', 'schema'),
    )
    return validate(JSON.parse(body))
      ? null
      : `${method} ${path} ${statusCode}: ${ajv.errorsText(validate.errors)}\n${body.slice(0, 500)}`
  }
  return { compile, problem, pointer }
}
