import { ErrorBody } from '../../errors.ts'
import type { Route } from '../route.ts'
import { neededSigner } from './log-access.ts'
import { TEXT, textContent } from './log-text.ts'

export const getLogKeysRoute: Route = (app, { signer }) =>
  app.get(
    '/log/keys',
    {
      config: { scope: null },
      schema: {
        tags: ['log'],
        operationId: 'getLogKeys',
        summary: 'The keys that verify checkpoints of this service, one on each line',
        response: { 200: textContent('Verifier keys of c2sp.org/signed-note.'), 404: ErrorBody },
      },
    },
    async (_request, reply) => {
      const { vkeys } = neededSigner(signer)
      return reply.type(TEXT).send(vkeys.map((vkey) => `${vkey}\n`).join(''))
    },
  )
