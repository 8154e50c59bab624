import { z } from 'zod'
import { listUserViews, UserView } from '../../../queries/access/users.ts'
import type { Route } from '../route.ts'

const Users = z.object({ users: z.array(UserView) }).meta({ id: 'Users' })

export const listUsersRoute: Route = (app, { reader }) =>
  app.get(
    '/users',
    {
      config: { scope: 'admin' },
      schema: { tags: ['users'], operationId: 'listUsers', summary: 'All accounts', response: { 200: Users } },
    },
    async () => ({ users: await reader.read(listUserViews) }),
  )
