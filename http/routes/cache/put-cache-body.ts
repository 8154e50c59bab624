import { z } from 'zod'
import { ErrorBody } from '../../errors.ts'
import type { StoreCacheBody } from '../../requests/cache-bodies.ts'
import type { Route } from '../route.ts'
import { KeyPath } from './cache-entry.ts'

/** No body at all. `z.null()` would mean the text `null`, except for a 204. */
const NoBody = z.undefined()

/** Answers what the fast path does not: other spellings of the path, and requests that are refused or fail. */
export const putCacheBodyRoute =
  (store: StoreCacheBody): Route =>
  (app) => {
    app.put(
      '/cache/:key',
      {
        config: { scope: 'write', bodyType: 'application/octet-stream' },
        schema: {
          tags: ['cache'],
          operationId: 'putCacheBody',
          summary: 'Store a body; a key keeps its first body',
          params: KeyPath,
          response: { 200: NoBody, 201: NoBody, 413: ErrorBody, 503: ErrorBody },
        },
      },
      async (request, reply) => reply.code((await store(request.raw, request.params.key)) ? 201 : 200).send(),
    )
  }
