import { z } from 'zod'
import { RUNS } from '../../../commands/tags.ts'
import { CacheRuns } from '../../../queries/cache/runs.ts'
import { answerText } from '../../answers/cached-routes.ts'
import { LONG_READ } from '../../errors.ts'
import { paged } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { KeyPath } from './cache-entry.ts'

export const listRunsOfCacheEntryRoute: Route = (app, { longReads }) =>
  app.get(
    '/cache/entries/:key/runs',
    {
      config: { scope: 'read', cached: { tags: () => [RUNS] } },
      schema: {
        tags: ['cache'],
        operationId: 'listRunsOfCacheEntry',
        summary: 'Runs with cases that used an entry of the cache',
        params: KeyPath,
        querystring: z.strictObject(paged(50, 200)),
        response: { 200: CacheRuns, ...LONG_READ },
      },
    },
    async ({ viewer, params: { key }, query, clientLeft }, reply) => {
      const answer = await longReads.cacheRuns(viewer, { key, ...query }, clientLeft)
      return answerText(reply, answer ?? '{"cases":[],"next_cursor":null}')
    },
  )
