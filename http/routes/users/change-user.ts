import { z } from 'zod'
import { UserView } from '../../../queries/access/users.ts'
import { ErrorBody } from '../../errors.ts'
import { NewPassword, passwordOf } from '../../identity/fields.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { readUser, Role } from './user.ts'

const Change = z.strictObject({
  role: Role.nullish(),
  disabled: z.boolean().nullish(),
  password: NewPassword.nullish(),
})

export const changeUserRoute: Route = (app, { reader, commit, passwords }) =>
  app.patch(
    '/users/:id',
    {
      config: { scope: 'admin', body: 'fields' },
      schema: {
        tags: ['users'],
        operationId: 'changeUser',
        summary: 'Change the role, the password or the state of an account',
        params: IdPath,
        body: Change,
        response: { 200: UserView, 404: ErrorBody, 409: ErrorBody, 422: ErrorBody },
      },
    },
    async ({ viewer, params: { id: user_id }, body: { role = null, disabled = null, password = null } }) => {
      const newPassword = password === null ? null : passwordOf(password)
      // This check only avoids hashing a password for an unknown user. The command itself checks again.
      await readUser(reader, user_id)
      const password_hash = newPassword === null ? null : await passwords.hash(newPassword)
      await commit.changeUser(viewer, { user_id, role, disabled, password_hash })
      return readUser(reader, user_id)
    },
  )
