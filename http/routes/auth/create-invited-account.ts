import { z } from 'zod'
import { SignedIn } from '../../../queries/access/sessions.ts'
import { ErrorBody } from '../../errors.ts'
import { NewPassword, passwordOf, plainUsernameOf, Username } from '../../identity/fields.ts'
import { newIds } from '../../identity/ids.ts'
import { newSession } from '../../identity/secrets.ts'
import type { Route } from '../route.ts'
import { answerSession } from './answer-session.ts'
import { linkAttempts, Secret } from './link-attempt.ts'
import type { SignInGuard } from './sign-in-guard.ts'

export const createInvitedAccountRoute =
  (guard: SignInGuard): Route =>
  (app, services) => {
    const { commit, passwords, now } = services
    const mint = newIds()
    const attempt = linkAttempts('invite', guard, services)
    app.post(
      '/auth/invite/accept',
      {
        config: { scope: null, body: 'fields' },
        schema: {
          tags: ['auth'],
          operationId: 'createInvitedAccount',
          summary: 'Make the account of an invite, and sign in with it',
          body: z.strictObject({ secret: Secret, username: Username, password: NewPassword }),
          response: {
            201: SignedIn,
            403: ErrorBody,
            404: ErrorBody,
            409: ErrorBody,
            422: ErrorBody,
            429: ErrorBody,
          },
        },
      },
      async ({ viewer: caller, body }, reply) => {
        // Before the link is looked up, so that their refusals say nothing about it.
        const username = plainUsernameOf(body.username)
        const password = passwordOf(body.password)
        const { token, user_id } = await attempt({
          viewer: caller,
          secret: body.secret,
          use: async ({ viewer, secret_sha256 }) => {
            const password_hash = await passwords.hash(password)
            const user_id = mint()
            const { token, session } = newSession({ mint, now })
            await commit.acceptInvite(viewer, { secret_sha256, user_id, username, password_hash, ...session })
            return { token, user_id }
          },
        })
        return answerSession(services, reply.code(201), token, user_id)
      },
    )
  }
