import { runTag } from '../../../commands/tags.ts'
import { findComparisonTag, RunComparison } from '../../../queries/runs/compare.ts'
import { answerFound, type CachedRequest } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import { PairPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const compareRunsRoute: Route = (app, { reader, longReads }) =>
  app.get(
    '/runs/:id/compare/:other',
    {
      config: {
        scope: 'read',
        cached: {
          tags: ({ id, other }: PairPath) => [runTag(id), runTag(other)],
          tag: ({ viewer, params }: CachedRequest<PairPath>) =>
            findComparisonTag(reader, viewer, { base: params.id, head: params.other }),
        },
      },
      schema: {
        tags: ['runs'],
        operationId: 'compareRuns',
        summary: 'Two runs: what got worse, what got better, and the difference of the totals',
        params: PairPath,
        response: { 200: RunComparison, 404: ErrorBody, ...LONG_READ },
      },
    },
    async ({ viewer, params: { id, other }, clientLeft }, reply) =>
      answerFound(reply, await longReads.compare(viewer, { base: id, head: other }, clientLeft), 'run'),
  )
