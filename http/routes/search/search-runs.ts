import { z } from 'zod'
import { RUNS } from '../../../commands/tags.ts'
import { RunSearch } from '../../../queries/search/run-search.ts'
import { answerText } from '../../answers/cached-routes.ts'
import { LONG_READ } from '../../errors.ts'
import { optionalText, paged } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const searchRunsRoute: Route = (app, { longReads }) =>
  app.get(
    '/search/runs',
    {
      config: { scope: 'read', cached: { tags: () => [RUNS] } },
      schema: {
        tags: ['search'],
        operationId: 'searchRuns',
        summary: 'Runs that contain all words, with pages',
        querystring: z.strictObject({
          q: z.string(),
          project: optionalText,
          suite: optionalText,
          ...paged(20, 50),
        }),
        response: { 200: RunSearch, ...LONG_READ },
      },
    },
    async ({ viewer, query, clientLeft }, reply) =>
      answerText(reply, (await longReads.searchRuns(viewer, query, clientLeft)) ?? ''),
  )
