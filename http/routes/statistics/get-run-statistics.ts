import { z } from 'zod'
import { runTag } from '../../../commands/tags.ts'
import { RunStatistics } from '../../../queries/statistics/run-statistics.ts'
import { answerFound } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { findComparable } from './comparable.ts'
import { clusterBy, column } from './parameters.ts'

const MAX_K = 1_000

const k = z
  .string()
  .refine((text) => /^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_K, {
    message: `must be an integer from 1 to ${MAX_K}`,
  })
  .transform(Number)
  .optional()
  .meta({ description: 'Number of trials.', type: 'integer', minimum: 1, maximum: MAX_K })

export const getRunStatisticsRoute: Route = (app, { reader, longReads }) =>
  app.get(
    '/runs/:id/statistics',
    {
      config: { scope: 'read', cached: { tags: ({ id }: IdPath) => [runTag(id)] } },
      schema: {
        tags: ['statistics'],
        operationId: 'getRunStatistics',
        summary: 'Statistics of a run, or of a column of it: intervals, trials, pass@k',
        params: IdPath,
        querystring: z.strictObject({
          k,
          cluster_by: clusterBy,
          column: column('The column of the run that is meant, instead of all its cases.'),
        }),
        response: { 200: RunStatistics, 404: ErrorBody, ...LONG_READ, 422: ErrorBody },
      },
    },
    async ({ viewer, params, query, clientLeft }, reply) => {
      await findComparable(reader, viewer, [params.id])
      return answerFound(
        reply,
        await longReads.runStatistics(viewer, { run_id: params.id, ...query }, clientLeft),
        'run',
      )
    },
  )
