import { z } from 'zod'
import { runTag } from '../../../commands/tags.ts'
import { COLUMNS_BY } from '../../../domain/lists/column.ts'
import { Leaderboard } from '../../../queries/statistics/leaderboard.ts'
import { answerFound } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { findComparable } from './comparable.ts'
import { column } from './parameters.ts'

const by = z.enum(COLUMNS_BY).default('column').meta({
  description: '`column`: a line for each provider with each of its prompts. `provider`: one for each provider.',
})

export const getLeaderboardRoute: Route = (app, { reader, longReads }) =>
  app.get(
    '/runs/:id/leaderboard',
    {
      config: { scope: 'read', cached: { tags: ({ id }: IdPath) => [runTag(id)] } },
      schema: {
        tags: ['statistics'],
        operationId: 'getLeaderboard',
        summary: 'The columns of a run, the best first, each compared with one of them',
        params: IdPath,
        querystring: z.strictObject({
          by,
          base: column('The column with which the others are compared; the best one by default.'),
        }),
        response: { 200: Leaderboard, 404: ErrorBody, ...LONG_READ, 422: ErrorBody },
      },
    },
    async ({ viewer, params, query, clientLeft }, reply) => {
      await findComparable(reader, viewer, [params.id])
      return answerFound(reply, await longReads.leaderboard(viewer, { run_id: params.id, ...query }, clientLeft), 'run')
    },
  )
