import { z } from 'zod'
import { Refused } from '../../../commands/refused.ts'
import { cosignedNote } from '../../../queries/log/checkpoints.ts'
import { ErrorBody } from '../../errors.ts'
import { flag } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { logAccess, neededSigner, newestCheckpoint, NO_POLICY } from './log-access.ts'
import { TEXT, textContent } from './log-text.ts'

export const getCheckpointRoute: Route = (app, { signer, config }) => {
  const access = logAccess(config)
  app.get(
    '/log/checkpoint',
    {
      config: access.rules,
      schema: {
        tags: ['log'],
        operationId: 'getCheckpoint',
        summary: 'The newest checkpoint, or the newest one that enough witnesses have cosigned',
        querystring: z.strictObject({
          cosigned: flag.meta({ description: 'Whether the checkpoint must meet the witness policy.' }),
        }),
        response: { 200: textContent('A signed note.'), 404: ErrorBody, 503: ErrorBody },
      },
    },
    async ({ viewer, query }, reply) => {
      access.check(viewer)
      const needed = neededSigner(signer)
      const found = query.cosigned ? await needed.newestCosigned() : await newestCheckpoint(needed)
      if (!found)
        throw new Refused('not_found', needed.hasPolicy() ? 'no checkpoint has enough cosignatures yet' : NO_POLICY)
      return reply.headers(access.headers('changing')).type(TEXT).send(cosignedNote(found, found.cosignatures))
    },
  )
}
