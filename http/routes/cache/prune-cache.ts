import { z } from 'zod'
import { pruneCache } from '../../../runtime/cache/prune.ts'
import type { Route } from '../route.ts'
import { evictionOf, EvictionQuery } from './eviction-query.ts'

const Pruned = z.object({ pruned: z.number().int() }).meta({ id: 'CachePruned' })

export const pruneCacheRoute: Route = (app, services) => {
  const { config, now } = services
  app.post(
    '/cache/prune',
    {
      config: { scope: 'admin' },
      schema: {
        tags: ['cache'],
        operationId: 'pruneCache',
        summary: 'Evict what all rules match; without any, what is beyond the configured limits',
        querystring: EvictionQuery,
        response: { 200: Pruned },
      },
    },
    async ({ viewer, query }) => ({
      pruned: await pruneCache(services, viewer, evictionOf(query, config, now()), 'request'),
    }),
  )
}
