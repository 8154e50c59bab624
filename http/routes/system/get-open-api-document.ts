import { z } from 'zod'
import { answerText } from '../../answers/cached-routes.ts'
import type { Route } from '../route.ts'

export const getOpenApiDocumentRoute: Route = (app) =>
  app.get(
    '/api/v1/openapi.json',
    {
      // It depends on the routes alone, which never change.
      config: { scope: null, cached: { tags: () => [] } },
      schema: {
        tags: ['system'],
        operationId: 'getOpenApiDocument',
        summary: 'This document',
        response: { 200: z.unknown() },
      },
    },
    async (_request, reply) => answerText(reply, JSON.stringify(app.swagger())),
  )
