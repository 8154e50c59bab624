import { z } from 'zod'
import { MAX_BODY_BYTES } from '../../../commands/run/inflate.ts'
import { DiskFull } from '../../../storage/errors.ts'
import { ErrorBody } from '../../errors.ts'
import { encodingOf, inflated, receive } from '../../requests/body.ts'
import { byteBudget } from '../../requests/byte-budget.ts'
import type { Route } from '../route.ts'
import { KeyPath } from './cache-entry.ts'

/** Maximum bytes of all bodies that are being received or wait to be stored. */
const MAX_WAITING_BYTES = 128 * 1024 * 1024

/** Maximum number of bytes that an encoding may add to a body that cannot be compressed. */
const ENCODING_BYTES = 64 * 1024

/** No body at all. `z.null()` would mean the text `null`, except for a 204. */
const NoBody = z.undefined()

export const putCacheBodyRoute: Route = (app, services) => {
  const { sharedCache, config } = services
  const uploads = byteBudget(MAX_WAITING_BYTES)
  const maxBytes = Math.min(config.cache.max_entry_bytes, MAX_BODY_BYTES)
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
    async (request, reply) => {
      const encoding = encodingOf(request)
      // The space that the store released is for deletions.
      if (services.isDiskFull?.()) throw new DiskFull()
      const reservation = uploads.enter()
      try {
        const received = await receive(
          request.raw,
          encoding === null ? maxBytes : maxBytes + ENCODING_BYTES,
          reservation.grow,
          maxBytes,
        )
        const body = await inflated(received, encoding, maxBytes)
        reservation.grow(body.length)
        const isFirst = await sharedCache.put(request.params.key, body)
        return await reply.code(isFirst ? 201 : 200).send()
      } finally {
        reservation.leave()
      }
    },
  )
}
