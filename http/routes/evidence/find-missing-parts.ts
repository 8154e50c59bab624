import { z } from 'zod'
import { sendFound } from '../../answers/cached-routes.ts'
import { abortWhenClientLeaves } from '../../answers/client-left.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import type { Route } from '../route.ts'
import { digest } from './part-path.ts'

/** Digests of one request. */
const MAX_DIGESTS = 10_000
const MAX_BODY_BYTES = 1024 * 1024

const Body = z.strictObject({
  sha256: z.array(digest).max(MAX_DIGESTS, `must be at most ${MAX_DIGESTS} digests`).meta({ maxItems: MAX_DIGESTS }),
})
const Missing = z.object({ missing: z.array(z.string()) }).meta({ id: 'MissingParts' })

export const findMissingPartsRoute: Route = (app, { longReads }) =>
  app.post(
    '/parts/missing',
    {
      config: { scope: 'write', body: 'fields', bodyBytes: MAX_BODY_BYTES },
      schema: {
        tags: ['evidence'],
        operationId: 'findMissingParts',
        summary: 'Which parts the caller would have to send before a run names them',
        body: Body,
        response: { 200: Missing, 413: ErrorBody, 422: ErrorBody, ...LONG_READ },
      },
    },
    async ({ viewer, body: { sha256 } }, reply) => {
      const asked = { sha256: [...new Set(sha256)] }
      return sendFound(reply, await longReads.missingParts(viewer, asked, abortWhenClientLeaves(reply)), 'part')
    },
  )
