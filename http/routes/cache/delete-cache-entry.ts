import { z } from 'zod'
import { ErrorBody, NO_CACHE_ENTRY, notFound } from '../../errors.ts'
import type { Route } from '../route.ts'
import { KeyPath } from './cache-entry.ts'

export const deleteCacheEntryRoute: Route = (app, { sharedCache, commit, instance, logger }) =>
  app.delete(
    '/cache/entries/:key',
    {
      config: { scope: 'admin' },
      schema: {
        tags: ['cache'],
        operationId: 'deleteCacheEntry',
        summary: 'Evict an entry of the cache',
        params: KeyPath,
        response: { 204: z.null(), 404: ErrorBody },
      },
    },
    async ({ viewer, params: { key } }, reply) => {
      if (!(await sharedCache.remove(key))) throw notFound(NO_CACHE_ENTRY)
      logger.info({ actor: viewer.actor, request_id: viewer.request_id, key }, 'cache entry deleted')
      await commit.recordEntryDeletion(viewer, { instance, key })
      return reply.code(204).send(null)
    },
  )
