import type { FastifyInstance } from 'fastify'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import swagger from '@fastify/swagger'
import { ErrorBody } from './errors.ts'

/** Builds the API's document from the schemas of all routes that are registered after this. */
export const documentApi = async (app: FastifyInstance, version: string): Promise<void> => {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Evaluation Results Service',
        version,
        description: 'Stores, lists, compares and searches the results of LLM-evaluation runs.',
      },
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer' },
          session: { type: 'apiKey', in: 'cookie', name: 'service_session' },
        },
      },
      security: [{ bearer: [] }, { session: [] }, {}],
    },
    transform: (document) => namedRest(jsonSchemaTransform({ ...document, schema: withErrors(document) })),
    transformObject: jsonSchemaTransformObject,
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
