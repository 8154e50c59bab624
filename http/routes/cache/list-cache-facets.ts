import { z } from 'zod'
import { CacheFacets } from '../../../queries/cache/item.ts'
import { abortWhenClientLeaves } from '../../answers/client-left.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import { settleCache } from '../../server-facts.ts'
import type { Route } from '../route.ts'
import { localTier, sendRead, tier } from './cache-entry.ts'

export const listCacheFacetsRoute: Route = (app, services) => {
  const { longReads } = services
  app.get(
    '/cache/facets',
    {
      config: { scope: 'admin' },
      schema: {
        tags: ['cache'],
        operationId: 'listCacheFacets',
        summary: 'Values by which entries of the cache can be filtered',
        querystring: z.strictObject({ tier }),
        response: { 200: CacheFacets, 404: ErrorBody, ...LONG_READ },
      },
    },
    async ({ viewer, query: { tier } }, reply) => {
      if (tier === 'local') return sendRead(reply, await localTier(services).facets())
      await settleCache(services)
      return sendRead(reply, await longReads.cacheFacets(viewer, {}, abortWhenClientLeaves(reply)))
    },
  )
}
