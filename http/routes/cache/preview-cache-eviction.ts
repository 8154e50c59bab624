import { CacheEviction, findEntryEviction } from '../../../queries/cache/eviction.ts'
import { ErrorBody, mustExist, NO_CACHE_ENTRY } from '../../errors.ts'
import { settleCache } from '../../server-facts.ts'
import type { Route } from '../route.ts'
import { KeyPath } from './cache-entry.ts'

export const previewCacheEvictionRoute: Route = (app, services) => {
  const { sharedCache, now } = services
  app.get(
    '/cache/entries/:key/eviction',
    {
      config: { scope: 'admin' },
      schema: {
        tags: ['cache'],
        operationId: 'previewCacheEviction',
        summary: 'What the deletion of this entry would remove',
        params: KeyPath,
        response: { 200: CacheEviction, 404: ErrorBody },
      },
    },
    async ({ params: { key } }) => {
      await settleCache(services)
      return mustExist(await findEntryEviction(sharedCache.reader, key, now()), NO_CACHE_ENTRY)
    },
  )
}
