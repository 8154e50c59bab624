import { z } from 'zod'
import { UserView } from '../../../queries/access/users.ts'
import { ErrorBody } from '../../errors.ts'
import { NewPassword, passwordOf, Username, usernameOf } from '../../identity/fields.ts'
import { newIds } from '../../identity/ids.ts'
import type { Route } from '../route.ts'
import { readUser, Role } from './user.ts'

export const createUserRoute: Route = (app, { reader, commit, passwords }) => {
  const mint = newIds()
  app.post(
    '/users',
    {
      config: { scope: 'admin', body: 'fields' },
      schema: {
        tags: ['users'],
        operationId: 'createUser',
        summary: 'Create an account',
        body: z.strictObject({ username: Username, password: NewPassword, role: Role }),
        response: { 201: UserView, 409: ErrorBody, 422: ErrorBody },
      },
    },
    async ({ viewer, body }, reply) => {
      const { role } = body
      const username = usernameOf(body.username)
      const password_hash = await passwords.hash(passwordOf(body.password))
      const user_id = mint()
      await commit.createUser(viewer, { user_id, username, password_hash, role })
      return reply.code(201).send(await readUser(reader, user_id))
    },
  )
}
