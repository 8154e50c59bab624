import { z } from 'zod'
import { runTag } from '../../../commands/tags.ts'
import { TestOutputs } from '../../../queries/statistics/outputs.ts'
import { answerFound } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import type { Route } from '../route.ts'
import { findRuns } from './comparable.ts'
import { BASE, runs, type Runs } from './parameters.ts'

export const compareOutputsRoute: Route = (app, { reader, longReads }) =>
  app.get(
    '/compare/outputs',
    {
      config: { scope: 'read', cached: { tags: (_: object, { runs }: Runs) => runs.map(runTag) } },
      schema: {
        tags: ['statistics'],
        operationId: 'compareOutputs',
        summary: 'The outputs of one test in several runs, side by side',
        querystring: z
          .strictObject({ runs, test: z.string(), against: z.string().optional().meta({ description: BASE }) })
          .check(({ value, issues }) => {
            if (value.against !== undefined && !value.runs.includes(value.against))
              issues.push({ code: 'custom', input: value, path: ['against'], message: 'must name one of the runs' })
          }),
        response: { 200: TestOutputs, 404: ErrorBody, ...LONG_READ },
      },
    },
    async ({ viewer, query, clientLeft }, reply) => {
      const { runs, test, against } = query
      await findRuns(reader, viewer, runs)
      const asked = { runs, test_id: test, against_run: against ?? runs[0] }
      return answerFound(reply, await longReads.testOutputs(viewer, asked, clientLeft), 'test')
    },
  )
