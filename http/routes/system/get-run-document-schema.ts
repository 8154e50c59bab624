import { z } from 'zod'
import { documentSchema } from '../../../domain/document-format/schema.ts'
import { answerText } from '../../answers/cached-routes.ts'
import type { Route } from '../route.ts'

export const getRunDocumentSchemaRoute: Route = (app) =>
  app.get(
    '/api/v1/schemas/run-document',
    {
      config: { scope: null, cached: { tags: () => [] } },
      schema: {
        tags: ['system'],
        operationId: 'getRunDocumentSchema',
        summary: 'The format of run documents as JSON Schema',
        response: { 200: z.unknown() },
      },
    },
    async (_request, reply) => answerText(reply, JSON.stringify(documentSchema())),
  )
