import { z } from 'zod'
import { listPlans, PlanList } from '../../../queries/plans/plans.ts'
import { optionalText, paged } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const listPlansRoute: Route = (app, { reader }) =>
  app.get(
    '/plans',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['plans'],
        operationId: 'listPlans',
        summary: 'Plans, the newest first',
        querystring: z.strictObject({ project: optionalText, suite: optionalText, ...paged(50, 200) }),
        response: { 200: PlanList },
      },
    },
    async ({ viewer, query: { limit, cursor, ...filters } }) =>
      reader.read(listPlans(viewer, filters, { limit, cursor })),
  )
