import { z } from 'zod'
import { setTag } from '../../../commands/tags.ts'
import { Trend } from '../../../queries/statistics/trend.ts'
import { answerFound } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import { SuitePath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const getSuiteTrendRoute: Route = (app, { longReads }) =>
  app.get(
    '/projects/:project/suites/:suite/trend',
    {
      config: { scope: 'read', cached: { tags: (suite: SuitePath) => [setTag(suite)] } },
      schema: {
        tags: ['statistics'],
        operationId: 'getSuiteTrend',
        summary: 'The pass rates, scores, costs, latencies and tokens of a suite, and where they changed',
        params: SuitePath,
        querystring: z.strictObject({ branch: z.string().optional() }),
        response: { 200: Trend, 404: ErrorBody, ...LONG_READ },
      },
    },
    async ({ viewer, params, query, clientLeft }, reply) =>
      answerFound(reply, await longReads.trend(viewer, { ...params, ...query }, clientLeft), 'run set'),
  )
