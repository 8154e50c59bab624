import { z } from 'zod'
import { RUNS } from '../../../commands/tags.ts'
import { MAX_CHANGED_RUNS, RunChanges } from '../../../queries/runs/run-changes.ts'
import { answerText } from '../../answers/cached-routes.ts'
import { LONG_READ } from '../../errors.ts'
import type { Route } from '../route.ts'
import { names } from '../statistics/parameters.ts'

export const listRunChangesRoute: Route = (app, { longReads }) =>
  app.get(
    '/run-changes',
    {
      config: { scope: 'read', cached: { tags: () => [RUNS] } },
      schema: {
        tags: ['runs'],
        operationId: 'listRunChanges',
        summary: 'What got worse and better in each of several runs since its previous like run',
        querystring: z.strictObject({ runs: names(1, MAX_CHANGED_RUNS, 'runs') }),
        response: { 200: RunChanges, ...LONG_READ },
      },
    },
    async ({ viewer, query, clientLeft }, reply) =>
      answerText(reply, (await longReads.runChanges(viewer, query, clientLeft)) ?? ''),
  )
