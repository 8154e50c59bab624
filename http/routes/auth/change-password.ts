import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { wrongPassword } from '../../../commands/account/change-password.ts'
import { Refused } from '../../../commands/refused.ts'
import { accountOfSession } from '../../../commands/session/end-sessions.ts'
import { findPasswordHash } from '../../../queries/access/sessions.ts'
import { findUser } from '../../../queries/access/users.ts'
import { ErrorBody, notFound, TooManyAttempts } from '../../errors.ts'
import { NewPassword, passwordOf } from '../../identity/fields.ts'
import type { RefusedSignIns } from '../../identity/refused-sign-ins.ts'
import type { SignInThrottle } from '../../identity/sign-in-throttle.ts'
import { NoParameters } from '../../requests/shared-parameters.ts'
import type { Services } from '../../services.ts'
import { Ended } from '../account/sessions.ts'

const Change = z.strictObject({ current_password: z.string(), new_password: NewPassword })

/** What guards against guessing. Sign-in and this route share it, so both together get no more attempts than one. */
type Guard = { readonly throttle: SignInThrottle; readonly refused: RefusedSignIns }

/** Changes the caller's own password. */
export const passwordRoute =
  ({ reader, commit, passwords, now }: Services, { throttle, refused }: Guard): FastifyPluginAsyncZod =>
  async (app) => {
    const change = {
      tags: ['auth'],
      operationId: 'changePassword',
      summary: 'Change the own password and end all other sessions; needs a session',
      querystring: NoParameters,
      body: Change,
      response: {
        200: Ended,
        400: ErrorBody,
        401: ErrorBody,
        403: ErrorBody,
        409: ErrorBody,
        422: ErrorBody,
        429: ErrorBody,
      },
    }
    const config = { scope: null, stored: true, authenticated: true, body: 'fields' } as const
    app.post('/auth/password', { config, schema: change }, async ({ viewer, body }) => {
      const user_id = accountOfSession(viewer)
      const { address } = viewer.actor
      const [user, checked] = [await reader.read(findUser(user_id)), await reader.read(findPasswordHash(user_id))]
      if (!user) throw notFound('user')
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
    })
  }
