import { z } from 'zod'
import { CacheOverview, type CacheReuse } from '../../../queries/cache/reuse.ts'
import { abortWhenClientLeaves } from '../../answers/client-left.ts'
import { LONG_READ, mustExist } from '../../errors.ts'
import { limit } from '../../requests/shared-parameters.ts'
import { readCacheStats } from '../../server-facts.ts'
import type { Route } from '../route.ts'

export const getCacheOverviewRoute: Route = (app, services) => {
  const { localCache, longReads, config, now } = services
  app.get(
    '/cache/overview',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['cache'],
        operationId: 'getCacheOverview',
        summary: 'What the cache holds, and how many responses the visible runs reused on each of the last days',
        querystring: z.strictObject({ days: limit(30, 366) }),
        response: { 200: CacheOverview, ...LONG_READ },
      },
    },
    async ({ viewer, query: { days } }, reply) => {
      // The account may lose its access while the read is queued.
      const read = mustExist(
        await longReads.cacheReuse(viewer, { days, now: now() }, abortWhenClientLeaves(reply)),
        'cache overview',
      )
      const { max_age_days, max_bytes } = config.cache
      return {
        ...(JSON.parse(Buffer.from(read.body).toString()) as CacheReuse),
        cache: await readCacheStats(services),
        limits: { max_age_days, max_bytes },
        local: localCache !== null,
      }
    },
  )
}
