import { z } from 'zod'
import { RUNS } from '../../../commands/tags.ts'
import { SearchHits } from '../../../queries/search/search.ts'
import { answerText } from '../../answers/cached-routes.ts'
import { LONG_READ } from '../../errors.ts'
import { cachedRuns, limit } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const searchRoute: Route = (app, { longReads }) =>
  app.get(
    '/search',
    {
      config: { scope: 'read', cached: { tags: () => [RUNS] } },
      schema: {
        tags: ['search'],
        operationId: 'search',
        summary: 'Runs and cases that contain all words, or have an id',
        querystring: z.strictObject({ q: z.string(), limit: limit(50, 200), cached: cachedRuns }),
        response: { 200: SearchHits, ...LONG_READ },
      },
    },
    async ({ viewer, query, clientLeft }, reply) => {
      const text = await longReads.search(viewer, query, clientLeft)
      return answerText(reply, text ?? '{"runs":[],"cases":[]}')
    },
  )
