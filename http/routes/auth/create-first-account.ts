import { z } from 'zod'
import { alreadySetUp } from '../../../commands/account/set-up.ts'
import { SignedIn } from '../../../queries/access/sessions.ts'
import { findAnyUser } from '../../../queries/access/users.ts'
import { asAnonymous } from '../../../queries/access/viewer.ts'
import { ErrorBody } from '../../errors.ts'
import { NewPassword, passwordOf, Username, usernameOf } from '../../identity/fields.ts'
import { newIds } from '../../identity/ids.ts'
import { newSession } from '../../identity/secrets.ts'
import type { Route } from '../route.ts'
import { answerSession } from './answer-session.ts'

export const createFirstAccountRoute: Route = (app, services) => {
  const { reader, commit, passwords, now } = services
  const mint = newIds()
  app.post(
    '/auth/setup',
    {
      config: { scope: null, body: 'fields' },
      schema: {
        tags: ['auth'],
        operationId: 'createFirstAccount',
        summary: 'Create the first account, an admin',
        body: z.strictObject({ username: Username, password: NewPassword }),
        response: { 201: SignedIn, 403: ErrorBody, 409: ErrorBody, 422: ErrorBody },
      },
    },
    async ({ viewer, body }, reply) => {
      // This check only avoids needless hashing: the command checks again and decides.
      if (await reader.read(findAnyUser)) throw alreadySetUp()
      const username = usernameOf(body.username)
      const password_hash = await passwords.hash(passwordOf(body.password))
      const user_id = mint()
      const { token, session } = newSession({ mint, now })
      await commit.setUp(asAnonymous(viewer), { user_id, username, password_hash, ...session })
      return answerSession(services, reply.code(201), token, user_id)
    },
  )
}
