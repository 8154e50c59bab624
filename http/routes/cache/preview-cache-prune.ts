import { CacheEviction, cacheEviction, recentFrom } from '../../../queries/cache/eviction.ts'
import type { Route } from '../route.ts'
import { evictionOf, EvictionQuery } from './eviction-query.ts'

export const previewCachePruneRoute: Route = (app, { sharedCache, config, now }) =>
  app.get(
    '/cache/prune',
    {
      config: { scope: 'admin' },
      schema: {
        tags: ['cache'],
        operationId: 'previewCachePrune',
        summary: 'What a prune with these rules would evict now, without evicting it',
        querystring: EvictionQuery,
        response: { 200: CacheEviction },
      },
    },
    async ({ query }) => cacheEviction(await sharedCache.preview(evictionOf(query, config, now()), recentFrom(now()))),
  )
