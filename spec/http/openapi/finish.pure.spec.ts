import { describe, expect, it } from 'vitest'
import { finishDocument, type OpenApiDocument } from '../../../http/openapi/finish.ts'

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (name: string) => ({ content: { 'application/json': { schema: reference(name) } } })
const shape = (...fields: readonly string[]) => ({
  type: 'object',
  properties: Object.fromEntries(fields.map((f) => [f, {}])),
})

/** A document of one operation that receives and returns schemas. */
const aDocument = (
  schemas: Readonly<Record<string, object>>,
  { request, response }: { readonly request: string; readonly response: string },
): OpenApiDocument => ({
  paths: {
    '/api/v1/runs/{id}': {
      put: { operationId: 'change', requestBody: json(request), responses: { 200: json(response) } },
    },
  },
  components: { schemas: { ...schemas } },
})
const namesIn = (document: OpenApiDocument): string[] => {
  const { requestBody, responses } = document.paths['/api/v1/runs/{id}']?.['put'] ?? { responses: {} }
  return [...JSON.stringify([requestBody, responses[200]]).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
    ([, name = '']) => name,
  )
}

describe('a schema', () => {
  it('has one name if requests and responses have the same shape, also through other schemas', () => {
    const document = finishDocument(
      aDocument(
        {
          Run: { ...shape('id'), items: reference('Case') },
          RunInput: { ...shape('id'), items: reference('CaseInput') },
          Case: shape('key'),
          CaseInput: shape('key'),
        },
        { request: 'RunInput', response: 'Run' },
      ),
    )
    expect(document.components.schemas).toEqual({
      Run: { ...shape('id'), items: reference('Case') },
      Case: shape('key'),
    })
    expect(namesIn(document)).toEqual(['Run', 'Run'])
  })

  it('has two names if the shapes differ', () => {
    const schemas = { Run: shape('id', 'url'), RunInput: shape('id') }
    const document = finishDocument(aDocument(schemas, { request: 'RunInput', response: 'Run' }))
    expect(document.components.schemas).toEqual(schemas)
    expect(namesIn(document)).toEqual(['RunInput', 'Run'])
  })

  it('has the plain name if only requests have it, and is left out if nothing has it', () => {
    const schemas = {
      Run: shape('id', 'made'),
      RunInput: shape('id'),
      Ingested: shape('url'),
      IngestedInput: shape('url'),
    }
    const document = finishDocument(aDocument(schemas, { request: 'RunInput', response: 'Ingested' }))
    expect(document.components.schemas).toEqual({ Ingested: shape('url'), Run: shape('id') })
    expect(namesIn(document)).toEqual(['Run', 'Ingested'])
  })
})

it('what a route says itself stays, and the rest is completed', () => {
  const { paths } = finishDocument({
    paths: {
      '/api/v1/runs/{id}': {
        get: {
          operationId: 'getHealth',
          parameters: [
            { in: 'path', name: 'id' },
            { in: 'query', name: 'tag', description: 'Of its own.', schema: { type: 'integer', 'x-default': 20 } },
            { in: 'query', name: 'unheard_of' },
          ],
          responses: {
            200: { description: 'Default Response', content: { 'application/json': { schema: {} } } },
            404: { description: 'Of its own' },
            418: {},
          },
        },
      },
    },
    components: { schemas: {} },
  })
  expect(paths['/api/v1/runs/{id}']?.['get']).toMatchObject({
    parameters: [
      { name: 'id', description: 'Id of the run.' },
      { name: 'tag', description: 'Of its own.', schema: { type: 'integer', default: 20 } },
      { name: 'unheard_of' },
    ],
    responses: {
      200: { description: 'The request succeeded', content: { 'application/json': { example: { status: 'ok' } } } },
      404: { description: 'Of its own' },
      418: { description: 'Status 418' },
    },
  })
})
