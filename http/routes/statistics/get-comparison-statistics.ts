import { z } from 'zod'
import { runTag } from '../../../commands/tags.ts'
import { ComparisonStatistics } from '../../../queries/statistics/comparison-statistics.ts'
import { answerFound } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import { PairPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { findComparable } from './comparable.ts'
import { clusterBy, columns } from './parameters.ts'

export const getComparisonStatisticsRoute: Route = (app, { reader, longReads }) =>
  app.get(
    '/runs/:id/compare/:other/statistics',
    {
      config: {
        scope: 'read',
        cached: { tags: ({ id, other }: PairPath) => [runTag(id), runTag(other)] },
      },
      schema: {
        tags: ['statistics'],
        operationId: 'getComparisonStatistics',
        summary:
          'Whether one run, or column of a run, is better than another, and which difference the comparison could have detected',
        params: PairPath,
        querystring: z.strictObject({ cluster_by: clusterBy, ...columns }),
        response: { 200: ComparisonStatistics, 404: ErrorBody, ...LONG_READ, 422: ErrorBody },
      },
    },
    async ({ viewer, params: { id, other }, query, clientLeft }, reply) => {
      await findComparable(reader, viewer, [id, other])
      return answerFound(
        reply,
        await longReads.compareStatistics(viewer, { base: id, head: other, ...query }, clientLeft),
        'run',
      )
    },
  )
