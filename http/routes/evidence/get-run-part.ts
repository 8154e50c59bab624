import { ErrorBody } from '../../errors.ts'
import type { Route } from '../route.ts'
import { partContent, RunPartPath } from './part-path.ts'
import { sendPart } from './send-part.ts'

export const getRunPartRoute: Route = (app, services) =>
  app.get(
    '/runs/:id/parts/:sha256',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['evidence'],
        operationId: 'getRunPart',
        summary: 'A part of the evidence of a run, byte for byte',
        params: RunPartPath,
        response: {
          200: partContent('The bytes of the part, with the type that they have.'),
          206: partContent('The range of them that was asked for.'),
          404: ErrorBody,
          416: ErrorBody,
          503: ErrorBody,
        },
      },
    },
    (request, reply) =>
      sendPart(request, reply, services, { run_id: request.params.id, sha256: request.params.sha256 }),
  )
