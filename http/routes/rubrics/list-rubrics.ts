import { z } from 'zod'
import { listRubrics, RubricList } from '../../../queries/reviews/rubrics.ts'
import { optionalText, paged } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const listRubricsRoute: Route = (app, { reader }) =>
  app.get(
    '/rubrics',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['reviews'],
        operationId: 'listRubrics',
        summary: 'The newest version of each rubric, the newest rubric first',
        querystring: z.strictObject({ project: optionalText, suite: optionalText, ...paged(50, 200) }),
        response: { 200: RubricList },
      },
    },
    async ({ viewer, query: { limit, cursor, ...filters } }) =>
      reader.read(listRubrics(viewer, filters, { limit, cursor })),
  )
