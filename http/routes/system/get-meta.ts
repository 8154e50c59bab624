import { Meta } from '../../../queries/meta.ts'
import { readMeta } from '../../server-facts.ts'
import type { Route } from '../route.ts'

export const getMetaRoute: Route = (app, services) =>
  app.get(
    '/api/v1/meta',
    {
      config: { scope: null },
      schema: {
        tags: ['system'],
        operationId: 'getMeta',
        summary: 'Version, limits and features of the service',
        response: { 200: Meta },
      },
    },
    async () => readMeta(services),
  )
