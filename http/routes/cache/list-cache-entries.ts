import { z } from 'zod'
import { CACHE_ORDERS, CACHE_SORTS } from '../../../domain/cache/listing.ts'
import { CacheList } from '../../../queries/cache/item.ts'
import { abortWhenClientLeaves } from '../../answers/client-left.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import { freeText, instant, optionalText, paged, whole } from '../../requests/shared-parameters.ts'
import { settleCache } from '../../server-facts.ts'
import type { Route } from '../route.ts'
import { localTier, sendRead, tier } from './cache-entry.ts'

/** Filters and order of the list of cache entries. */
const CacheListQuery = z.strictObject({
  kind: optionalText.meta({ description: 'A kind; or `unindexed` or `unparseable`.' }),
  model: optionalText,
  empty_reason: optionalText,
  q: freeText,
  since: instant,
  until: instant,
  min_cost_microusd: whole(),
  max_cost_microusd: whole(),
  tier,
  sort: z.enum(CACHE_SORTS).optional(),
  order: z.enum(CACHE_ORDERS).optional(),
  ...paged(50, 200),
})

export const listCacheEntriesRoute: Route = (app, services) => {
  const { longReads } = services
  app.get(
    '/cache/entries',
    {
      config: { scope: 'admin' },
      schema: {
        tags: ['cache'],
        operationId: 'listCacheEntries',
        summary: 'Entries of the cache',
        querystring: CacheListQuery,
        response: { 200: CacheList, 404: ErrorBody, ...LONG_READ },
      },
    },
    async ({ viewer, query }, reply) => {
      const { tier, sort = 'created', order = 'desc', limit, cursor, ...filters } = query
      if (tier === 'local')
        return sendRead(reply, await localTier(services).list(filters, { sort, order }, { limit, cursor }))
      await settleCache(services)
      return sendRead(
        reply,
        await longReads.cacheEntries(
          viewer,
          { filters, order: { sort, order }, limit, cursor },
          abortWhenClientLeaves(reply),
        ),
      )
    },
  )
}
