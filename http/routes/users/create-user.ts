import { z } from 'zod'
import { UserView } from '../../../queries/access/users.ts'
import { ErrorBody } from '../../errors.ts'
import { NewPassword, passwordOf, Username, usernameOf } from '../../identity/fields.ts'
import { newIds } from '../../identity/ids.ts'
import type { Route } from '../route.ts'
import { readUser, Role } from './user.ts'

const NewUser = z
  .strictObject({
    username: Username,
    password: NewPassword.optional(),
    role: Role,
    service: z.boolean().optional().meta({
      description:
        'An account of a machine: it has no password and cannot sign in, only API keys. Its role is not `admin`.',
    }),
  })
  .superRefine(({ password, role, service = false }, context) => {
    const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message })
    if (!service && password === undefined) refuse('password', 'a person needs a password')
    if (service && password !== undefined) refuse('password', 'a service account has none')
    if (service && role === 'admin') refuse('role', 'a service account cannot be an admin')
  })

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
        body: NewUser,
        response: { 201: UserView, 409: ErrorBody, 422: ErrorBody },
      },
    },
    async ({ viewer, body }, reply) => {
      const { role, password } = body
      const username = usernameOf(body.username)
      const user_id = mint()
      if (password === undefined) await commit.createServiceAccount(viewer, { user_id, username, role })
      else {
        const password_hash = await passwords.hash(passwordOf(password))
        await commit.createUser(viewer, { user_id, username, password_hash, role })
      }
      return reply.code(201).send(await readUser(reader, user_id))
    },
  )
}
