import { z } from 'zod'
import { AccessOverview, listAccess } from '../../../queries/access/access-overview.ts'
import { checkSeesAll } from '../../identity/sees-all.ts'
import { flag, optionalText, paged } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

/** Filters of the list of restrictions and grants. */
const AccessQuery = z.strictObject({
  project: optionalText,
  user_id: optionalText.meta({ description: 'Only projects and suites on which this account has a grant.' }),
  open: flag.meta({ description: 'Whether projects and suites without restrictions and grants are listed too.' }),
  ...paged(50, 200),
})

export const listAccessRoute: Route = (app, { reader }) =>
  app.get(
    '/access',
    {
      config: { scope: 'admin' },
      schema: {
        tags: ['access'],
        operationId: 'listAccess',
        summary: 'All restrictions and grants, also of suites without runs',
        querystring: AccessQuery,
        response: { 200: AccessOverview },
      },
    },
    async ({ viewer, query: { limit, cursor, ...filters } }) => {
      checkSeesAll(viewer)
      return listAccess(reader, viewer, filters, { limit, cursor })
    },
  )
