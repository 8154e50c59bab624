import { PlanDetail } from '../../../queries/plans/plans.ts'
import { ErrorBody } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { readPlan, readPlanSet } from './plan.ts'

export const withdrawPlanRoute: Route = (app, { reader, commit }) =>
  app.post(
    '/plans/:id/withdraw',
    {
      config: { scope: 'write' },
      schema: {
        tags: ['plans'],
        operationId: 'withdrawPlan',
        summary: 'Withdraw a plan: later runs do not follow it',
        params: IdPath,
        response: { 200: PlanDetail, 404: ErrorBody },
      },
    },
    async ({ viewer, params: { id } }) => {
      await commit.withdrawPlan(viewer, { plan_id: id, set: await readPlanSet(reader, viewer, id) })
      return readPlan(reader, viewer, id)
    },
  )
