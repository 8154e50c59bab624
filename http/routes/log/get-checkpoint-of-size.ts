import { z } from 'zod'
import { cosignedNote, findCheckpoint, listCosignatures } from '../../../queries/log/checkpoints.ts'
import { ErrorBody, notFound } from '../../errors.ts'
import type { Route } from '../route.ts'
import { logAccess, neededSigner } from './log-access.ts'
import { NUMBER, TEXT, textContent } from './log-text.ts'

export const getCheckpointOfSizeRoute: Route = (app, { signer, config }) => {
  const access = logAccess(config)
  app.get(
    '/log/checkpoints/:size',
    {
      config: access.rules,
      schema: {
        tags: ['log'],
        operationId: 'getCheckpointOfSize',
        summary: 'The checkpoint of a size',
        params: z.object({
          size: z.string().meta({ pattern: NUMBER.source, description: 'Size of the log: its number of records.' }),
        }),
        response: { 200: textContent('A signed note.'), 404: ErrorBody },
      },
    },
    async ({ viewer, params }, reply) => {
      access.check(viewer)
      const { reader, written } = neededSigner(signer)
      const size = NUMBER.test(params.size) ? Number(params.size) : 0
      const { checkpoint, cosignatures } = await reader.readAll({
        checkpoint: findCheckpoint(size),
        cosignatures: listCosignatures(size, size),
      })
      if (!checkpoint) throw notFound('checkpoint')
      return reply
        .headers(access.headers('changing'))
        .type(TEXT)
        .send(cosignedNote(checkpoint, written(cosignatures)))
    },
  )
}
