import { z } from 'zod'
import { CacheEntry } from '../../../queries/cache/item.ts'
import { abortWhenClientLeaves } from '../../answers/client-left.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import { flag } from '../../requests/shared-parameters.ts'
import { settleCache } from '../../server-facts.ts'
import type { Route } from '../route.ts'
import { KeyPath, localTier, sendRead, tier } from './cache-entry.ts'

export const getCacheEntryRoute: Route = (app, services) => {
  const { longReads } = services
  app.get(
    '/cache/entries/:key',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['cache'],
        operationId: 'getCacheEntry',
        summary: 'An entry of the cache, with its request and response',
        params: KeyPath,
        querystring: z.strictObject({
          raw: flag.meta({ description: 'Whether the stored text is returned too.' }),
          tier,
        }),
        response: { 200: CacheEntry, 404: ErrorBody, ...LONG_READ },
      },
    },
    async ({ viewer, params: { key }, query }, reply) => {
      const withRaw = query.raw === true
      if (query.tier === 'local') return sendRead(reply, await localTier(services).find(key, withRaw))
      await settleCache(services)
      return sendRead(reply, await longReads.cacheEntry(viewer, { key, raw: withRaw }, abortWhenClientLeaves(reply)))
    },
  )
}
