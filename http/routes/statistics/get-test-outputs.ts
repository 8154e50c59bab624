import { z } from 'zod'
import { runTag } from '../../../commands/tags.ts'
import { TestOutputs } from '../../../queries/statistics/outputs.ts'
import { answerFound } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import { IdPath, nameParameter } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { findRuns } from './comparable.ts'
import { names } from './parameters.ts'

const MAX_CASES = 48

export const getTestOutputsRoute: Route = (app, { reader, longReads }) =>
  app.get(
    '/runs/:id/tests/:test_id',
    {
      config: { scope: 'read', cached: { tags: ({ id }: IdPath) => [runTag(id)] } },
      schema: {
        tags: ['statistics'],
        operationId: 'getTestOutputs',
        summary: 'The outputs of one test in all columns of a run, side by side',
        params: IdPath.extend({ test_id: nameParameter }),
        querystring: z.strictObject({
          against: z.string().optional().meta({
            description: 'The case key of the column with which the others are compared: one of the columns, or 400.',
          }),
          cases: names(1, MAX_CASES, 'case keys').optional(),
        }),
        response: { 200: TestOutputs, 404: ErrorBody, ...LONG_READ },
      },
    },
    async ({ viewer, params: { id, test_id }, query, clientLeft }, reply) => {
      await findRuns(reader, viewer, [id])
      return answerFound(
        reply,
        await longReads.testOutputs(viewer, { runs: [id], test_id, ...query }, clientLeft),
        'test',
      )
    },
  )
