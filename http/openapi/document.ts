import type { FastifyInstance } from 'fastify'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import swagger from '@fastify/swagger'
import { ErrorBody } from '../errors.ts'
import { finishDocument, type OpenApiDocument } from './finish.ts'
import { TAGS } from './words.ts'

/** Builds the API's document from the schemas of all routes that are registered after this. */
export const documentApi = async (app: FastifyInstance, version: string): Promise<void> => {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Evaluation Results Service',
        version,
        description: 'Stores, lists, compares and searches the results of LLM-evaluation runs.',
        license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      },
      servers: [{ url: '/', description: 'The service that serves this document' }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description: 'An API key, a static token, or the token of a session.',
          },
          session: { type: 'apiKey', in: 'cookie', name: 'service_session', description: 'A session of the web app.' },
        },
      },
      security: [{ bearer: [] }, { session: [] }, {}],
    },
    transform: (document) =>
      namedRest(withRules(document, jsonSchemaTransform({ ...document, schema: withErrors(document) }))),
    transformObject: (document) => finishDocument(jsonSchemaTransformObject(document) as OpenApiDocument) as never,
  })
}

type Documented = Parameters<typeof jsonSchemaTransform>[0]
type Transformed = ReturnType<typeof jsonSchemaTransform>

/** Names the rest of a path: the router calls it `*`, which is no name of a parameter. */
const namedRest = ({ schema, url }: Transformed): Transformed => {
  if (!url.endsWith('/*')) return { schema, url }
  const params = JSON.parse(JSON.stringify(schema.params ?? {}).replaceAll('"*"', '"rest"')) as object
  return { schema: { ...schema, params }, url: `${url.slice(0, -1)}:rest` }
}

const BYTES = { type: 'string', format: 'binary' } as const

/**
 * Adds what the route says in its rules: the type of a body of bytes, and the least scope that a caller needs in
 * closed mode. The scope `none`: the route needs no credential.
 */
const withRules = ({ route }: Documented, { schema, url }: Transformed): Transformed => {
  const { scope = null, authenticated = false, bodyType } = route.config ?? {}
  const security = scope === null && !authenticated ? { security: [] } : {}
  const body = bodyType === undefined ? {} : { body: { content: { [bodyType]: { schema: BYTES } } } }
  const more = { ...security, ...body, 'x-scope': scope ?? 'none' }
  return { schema: { ...schema, ...more }, url }
}

/** Completes the responses that a route declares: adds the errors that any route may return. */
const withErrors = ({ schema, route }: Documented): Documented['schema'] => {
  const gated = route.config?.scope ? { 401: ErrorBody, 403: ErrorBody } : {}
  const body = route.config?.document ? { body: route.config.document } : {}
  return {
    ...schema,
    ...body,
    response: { 400: ErrorBody, ...gated, default: ErrorBody, ...(schema.response as object | undefined) },
  }
}
