import { z } from 'zod'
import { planText } from '../../../commands/plan/register-plan.ts'
import { PlanDetail } from '../../../queries/plans/plans.ts'
import { ErrorBody } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import { refusedBy } from '../../requests/refused-by.ts'
import type { Route } from '../route.ts'
import { MAX_BODY_BYTES, readPlan, readPlanSet, Text } from './plan.ts'

export const revealPlanRoute: Route = (app, { reader, commit }) =>
  app.post(
    '/plans/:id/reveal',
    {
      config: { scope: 'write', body: 'fields', bodyBytes: MAX_BODY_BYTES },
      schema: {
        tags: ['plans'],
        operationId: 'revealPlan',
        summary: 'Reveal the text of a plan that was registered by its digest',
        params: IdPath,
        response: { 200: PlanDetail, 404: ErrorBody, 409: ErrorBody, 413: ErrorBody, 422: ErrorBody },
        body: z.strictObject({ text: Text }).superRefine(refusedBy(({ text }) => planText(text))),
      },
    },
    async ({ viewer, params: { id }, body: { text } }) => {
      await commit.revealPlan(viewer, { plan_id: id, set: await readPlanSet(reader, viewer, id), text })
      return readPlan(reader, viewer, id)
    },
  )
