import { CacheStats } from '../../../queries/cache/facets.ts'
import { readCacheStats } from '../../server-facts.ts'
import type { Route } from '../route.ts'

export const getCacheStatsRoute: Route = (app, services) =>
  app.get(
    '/cache/stats',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['cache'],
        operationId: 'getCacheStats',
        summary: 'Entries, bytes and lookups of the cache',
        response: { 200: CacheStats },
      },
    },
    async () => readCacheStats(services),
  )
