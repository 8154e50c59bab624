import { z } from 'zod'
import { setTag } from '../../../commands/tags.ts'
import { GRID_FOLDS, GRID_MEASURES, GRID_ORDERS, SuiteGrid } from '../../../queries/cases/grid.ts'
import { answerFound } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import {
  fallbackOf,
  freeText,
  limit,
  MAX_FREE_TEXT,
  optionalText,
  paged,
  SuitePath,
} from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

/** Filters and order of a suite's grid. */
const GridQuery = z.strictObject({
  runs: limit(50, 200).meta({
    description: 'Maximum number of runs, from 1 to 200. A value out of range is clamped.',
    type: 'integer',
    'x-maximum': 200,
    ...fallbackOf(50),
  }),
  branch: optionalText,
  order: z.enum(GRID_ORDERS).optional(),
  q: freeText.meta({
    maxLength: MAX_FREE_TEXT,
    description: 'A part of a name, or of the id of a test, provider, prompt or case.',
  }),
  fold: z.enum(GRID_FOLDS).optional().meta({
    description:
      'One row for all trials of a case, or for all cases of a test, whatever their provider; `~` where they disagree. `auto`: by test where the runs share tests but no cases.',
  }),
  measure: z.enum(GRID_MEASURES).optional().meta({
    description: 'Adds the values of each row: the mean of its cases in each run, without those read from a cache.',
  }),
  ...paged(200, 500),
})

export const getSuiteGridRoute: Route = (app, { longReads }) =>
  app.get(
    '/projects/:project/suites/:suite/grid',
    {
      config: { scope: 'read', cached: { tags: (suite: SuitePath) => [setTag(suite)] } },
      schema: {
        tags: ['sets'],
        operationId: 'getSuiteGrid',
        summary: 'The status of each case of a suite in its newest runs',
        params: SuitePath,
        querystring: GridQuery,
        response: { 200: SuiteGrid, 404: ErrorBody, ...LONG_READ },
      },
    },
    async ({ viewer, params, query: { limit, cursor, order = 'changed', ...filters }, clientLeft }, reply) => {
      const asked = { suite: params, filters: { order, ...filters }, limit, cursor }
      return answerFound(reply, await longReads.grid(viewer, asked, clientLeft), 'run set')
    },
  )
