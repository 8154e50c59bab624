import { z } from 'zod'
import { wrongPassword } from '../../../commands/account/change-password.ts'
import { Refused } from '../../../commands/refused.ts'
import { accountOfSession } from '../../../commands/session/end-sessions.ts'
import { findPasswordHash } from '../../../queries/access/sessions.ts'
import { findUser } from '../../../queries/access/users.ts'
import { ErrorBody, mustExist, TooManyAttempts } from '../../errors.ts'
import { NewPassword, passwordOf } from '../../identity/fields.ts'
import type { Route } from '../route.ts'
import { Ended } from './end-other-sessions.ts'
import type { SignInGuard } from './sign-in-guard.ts'

const Change = z.strictObject({ current_password: z.string(), new_password: NewPassword })

export const changePasswordRoute =
  ({ throttle, refused }: SignInGuard): Route =>
  (app, { reader, commit, passwords, now }) =>
    app.post(
      '/auth/password',
      {
        config: { scope: null, authenticated: true, body: 'fields' },
        schema: {
          tags: ['auth'],
          operationId: 'changePassword',
          summary: 'Change your own password and end your other sessions; needs a session',
          body: Change,
          response: { 200: Ended, 401: ErrorBody, 403: ErrorBody, 409: ErrorBody, 422: ErrorBody, 429: ErrorBody },
        },
      },
      async ({ viewer, body }) => {
        const user_id = accountOfSession(viewer)
        const { address } = viewer.actor
        const user = mustExist(await reader.read(findUser(user_id)), 'user')
        const checked = await reader.read(findPasswordHash(user_id))
        if (checked === null || checked === '')
          throw new Refused('conflict', 'this account has no password; an admin can set one')
        const new_password = passwordOf(body.new_password)
        const wait = throttle.check(user.username, address)
        if (wait > 0) {
          await refused.record(viewer, { reason: 'throttled', user_id })
          throw new TooManyAttempts('too many wrong passwords; try again later', wait)
        }
        /** A failure of the service does not count as a wrong password. */
        const abandon = (error: unknown): never => {
          throttle.abandoned(user.username, address)
          throw error
        }
        if (!(await passwords.verify(checked, body.current_password).catch(abandon))) {
          throttle.failed(user.username, address)
          await refused.record(viewer, { reason: 'wrong_password', user_id })
          throw wrongPassword()
        }
        const password_hash = await passwords.hash(new_password).catch(abandon)
        const ended = await commit.changePassword(viewer, { checked, password_hash, at: now() }).catch(abandon)
        throttle.succeeded(user.username, address)
        return ended
      },
    )
