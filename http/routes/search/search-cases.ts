import { z } from 'zod'
import { RUNS } from '../../../commands/tags.ts'
import { CaseSearch } from '../../../queries/search/case-search.ts'
import { answerText } from '../../answers/cached-routes.ts'
import { LONG_READ } from '../../errors.ts'
import { optionalText, paged } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

const CaseSearchQuery = z.strictObject({
  q: z.string(),
  project: optionalText,
  suite: optionalText,
  status: z.enum(['pass', 'fail', 'error', 'skip', 'xfail', 'xpass']).optional(),
  ...paged(20, 50),
})

export const searchCasesRoute: Route = (app, { longReads }) =>
  app.get(
    '/search/cases',
    {
      config: { scope: 'read', cached: { tags: () => [RUNS] } },
      schema: {
        tags: ['search'],
        operationId: 'searchCases',
        summary: 'Cases that contain all words, one entry for each test',
        querystring: CaseSearchQuery,
        response: { 200: CaseSearch, ...LONG_READ },
      },
    },
    async ({ viewer, query, clientLeft }, reply) =>
      answerText(reply, (await longReads.searchCases(viewer, query, clientLeft)) ?? ''),
  )
