import { z } from 'zod'
import { HoldView } from '../../../queries/runs/holds.ts'
import { ErrorBody } from '../../errors.ts'
import { checkSeesAll } from '../../identity/sees-all.ts'
import { Reference } from '../../requests/reference.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { A_HOLD, readHold } from './hold.ts'

export const liftHoldRoute: Route = (app, { reader, commit }) =>
  app.post(
    '/holds/:id/lift',
    {
      config: { scope: 'admin', body: 'fields' },
      schema: {
        tags: ['audit'],
        operationId: 'liftHold',
        summary: 'Lift a legal hold; other holds on the same runs still stand',
        params: IdPath,
        body: z.strictObject({ reference: Reference }),
        response: { 200: HoldView, 404: ErrorBody, 409: ErrorBody, 422: ErrorBody },
      },
    },
    async ({ viewer, params: { id }, body: { reference } }) => {
      checkSeesAll(viewer, A_HOLD)
      await commit.liftHold(viewer, { hold_id: id, reference })
      return readHold(reader, id)
    },
  )
