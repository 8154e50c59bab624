import { runTag } from '../../../commands/tags.ts'
import { ComparedConfigs } from '../../../queries/runs/config.ts'
import { answerFound } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import { PairPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const compareConfigsRoute: Route = (app, { longReads }) =>
  app.get(
    '/runs/:id/compare/:other/config',
    {
      config: { scope: 'read', cached: { tags: ({ id, other }: PairPath) => [runTag(id), runTag(other)] } },
      schema: {
        tags: ['statistics'],
        operationId: 'compareConfigs',
        summary: 'The configurations of two runs',
        params: PairPath,
        response: { 200: ComparedConfigs, 404: ErrorBody, ...LONG_READ },
      },
    },
    async ({ viewer, params: { id, other }, clientLeft }, reply) =>
      answerFound(reply, await longReads.comparedConfigs(viewer, { base: id, head: other }, clientLeft), 'run'),
  )
