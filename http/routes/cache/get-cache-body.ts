import { Readable } from 'node:stream'
import { z } from 'zod'
import { BODY_HEADERS } from '../../../runtime/cache/shared-cache.ts'
import { ErrorBody, mustExist, NO_CACHE_ENTRY } from '../../errors.ts'
import type { Route } from '../route.ts'
import { KeyPath } from './cache-entry.ts'

const schema = {
  tags: ['cache'],
  operationId: 'getCacheBody',
  summary: 'The stored body of a provider response, byte for byte',
  params: KeyPath,
  response: {
    200: {
      description: 'The bytes as they were stored.',
      content: { 'application/octet-stream': { schema: z.unknown() } },
    },
    404: ErrorBody,
  },
}

export const getCacheBodyRoute: Route = (app, { sharedCache }) => {
  // Declared before the GET route. Otherwise Fastify would add a HEAD route for it, which would count as a lookup.
  app.head(
    '/cache/:key',
    { config: { scope: 'read' }, schema: { ...schema, hide: true } },
    async ({ params: { key } }, reply) => {
      const size = mustExist(await sharedCache.has(key), NO_CACHE_ENTRY)
      return reply.headers(BODY_HEADERS).header('content-length', size).send(Readable.from([]))
    },
  )
  app.get('/cache/:key', { config: { scope: 'read' }, schema }, async ({ params: { key } }, reply) => {
    const found = mustExist(await sharedCache.get(key), NO_CACHE_ENTRY)
    return reply.headers(BODY_HEADERS).header('etag', found.etag).send(found.bytes)
  })
}
