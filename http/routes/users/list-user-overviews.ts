import { z } from 'zod'
import { listUserOverviews, UserOverview } from '../../../queries/access/user-overview.ts'
import { checkSeesAll } from '../../identity/sees-all.ts'
import type { Route } from '../route.ts'

const Overviews = z.object({ users: z.array(UserOverview) }).meta({ id: 'UserOverviews' })

export const listUserOverviewsRoute: Route = (app, { reader, now }) =>
  app.get(
    '/users/overview',
    {
      config: { scope: 'admin' },
      schema: {
        tags: ['users'],
        operationId: 'listUserOverviews',
        summary: 'Every account with its numbers of keys, sessions and grants, and when it was last seen',
        response: { 200: Overviews },
      },
    },
    async ({ viewer }) => {
      checkSeesAll(viewer)
      return { users: await reader.read(listUserOverviews(viewer, now())) }
    },
  )
