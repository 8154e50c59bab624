import { z } from 'zod'
import { HoldList, listHolds } from '../../../queries/runs/holds.ts'
import { checkSeesAll } from '../../identity/sees-all.ts'
import { flag, paged } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { A_HOLD } from './hold.ts'

export const listHoldsRoute: Route = (app, { reader }) =>
  app.get(
    '/holds',
    {
      config: { scope: 'admin' },
      schema: {
        tags: ['audit'],
        operationId: 'listHolds',
        summary: 'Legal holds',
        querystring: z.strictObject({
          standing: flag.meta({ description: 'Only holds that stand (true), or only those that were lifted (false).' }),
          ...paged(50, 200),
        }),
        response: { 200: HoldList },
      },
    },
    async ({ viewer, query: { standing, limit, cursor } }) => {
      checkSeesAll(viewer, A_HOLD)
      return listHolds(reader, { standing }, { limit, cursor })
    },
  )
