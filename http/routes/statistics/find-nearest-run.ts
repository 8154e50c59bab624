import { RUNS, runTag } from '../../../commands/tags.ts'
import { NearestRun } from '../../../queries/runs/nearest-run.ts'
import { answerFound } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import { PairPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const findNearestRunRoute: Route = (app, { longReads }) =>
  app.get(
    '/runs/:id/compare/:other/nearest',
    {
      config: { scope: 'read', cached: { tags: ({ id, other }: PairPath) => [runTag(id), runTag(other), RUNS] } },
      schema: {
        tags: ['statistics'],
        operationId: 'findNearestRun',
        summary: 'The run of the suite, other than the base, with which the head can be compared best',
        params: PairPath,
        response: { 200: NearestRun, 404: ErrorBody, ...LONG_READ },
      },
    },
    async ({ viewer, params: { id, other }, clientLeft }, reply) =>
      answerFound(reply, await longReads.nearestRun(viewer, { base: id, head: other }, clientLeft), 'run'),
  )
