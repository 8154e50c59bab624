import { PlanDetail } from '../../../queries/plans/plans.ts'
import { ErrorBody } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { readPlan } from './plan.ts'

export const getPlanRoute: Route = (app, { reader }) =>
  app.get(
    '/plans/:id',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['plans'],
        operationId: 'getPlan',
        summary: 'A plan, and the runs that follow it',
        params: IdPath,
        response: { 200: PlanDetail, 404: ErrorBody },
      },
    },
    async ({ viewer, params: { id } }) => readPlan(reader, viewer, id),
  )
