import { HoldView } from '../../../queries/runs/holds.ts'
import { ErrorBody } from '../../errors.ts'
import { checkSeesAll } from '../../identity/sees-all.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { A_HOLD, readHold } from './hold.ts'

export const getHoldRoute: Route = (app, { reader }) =>
  app.get(
    '/holds/:id',
    {
      config: { scope: 'admin' },
      schema: {
        tags: ['audit'],
        operationId: 'getHold',
        summary: 'A legal hold, and what it holds',
        params: IdPath,
        response: { 200: HoldView, 404: ErrorBody },
      },
    },
    async ({ viewer, params: { id } }) => {
      checkSeesAll(viewer, A_HOLD)
      return readHold(reader, id)
    },
  )
