import { z } from 'zod'
import { ErrorBody } from '../../errors.ts'
import type { byteBudget } from '../../requests/byte-budget.ts'
import type { Route } from '../route.ts'
import { PartPath } from './part-path.ts'
import { receivePart } from './receive-part.ts'

const Received = z
  .object({
    sha256: z.string(),
    bytes: z.int().meta({ description: 'The bytes of the whole part' }),
    received: z.int().meta({ description: 'The bytes that are there' }),
    complete: z.boolean(),
  })
  .meta({ id: 'PartReceived' })

export const putPartRoute =
  (uploads: ReturnType<typeof byteBudget>): Route =>
  (app, services) => {
    app.put(
      '/parts/:sha256',
      {
        config: { scope: 'write', bodyType: 'application/octet-stream' },
        schema: {
          tags: ['evidence'],
          operationId: 'putPart',
          summary: 'Send a part of evidence, whole or a piece of it (Content-Range), before the run that names it',
          params: PartPath,
          response: {
            200: Received,
            409: ErrorBody,
            413: ErrorBody,
            415: ErrorBody,
            422: ErrorBody,
            503: ErrorBody,
          },
        },
      },
      (request) => receivePart(request, request.params.sha256, services, uploads),
    )
  }
