import { z } from 'zod'
import { ErrorBody } from '../../errors.ts'
import { NewPassword, passwordOf } from '../../identity/fields.ts'
import type { Route } from '../route.ts'
import { linkAttempts, Secret } from './link-attempt.ts'
import type { SignInGuard } from './sign-in-guard.ts'

export const changePasswordByLinkRoute =
  (guard: SignInGuard): Route =>
  (app, services) => {
    const { commit, passwords, now } = services
    const attempt = linkAttempts('reset', guard, services)
    app.post(
      '/auth/reset/password',
      {
        config: { scope: null, body: 'fields' },
        schema: {
          tags: ['auth'],
          operationId: 'changePasswordByLink',
          summary: 'Set a password with a link, and end all sessions of the account',
          body: z.strictObject({ secret: Secret, password: NewPassword }),
          response: { 204: z.null(), 403: ErrorBody, 404: ErrorBody, 422: ErrorBody, 429: ErrorBody },
        },
      },
      async ({ viewer: caller, body }, reply) => {
        // Before the link is looked up, so that its refusal says nothing about it.
        const password = passwordOf(body.password)
        await attempt({
          viewer: caller,
          secret: body.secret,
          use: async ({ viewer, secret_sha256 }) => {
            const password_hash = await passwords.hash(password)
            await commit.resetPassword(viewer, { secret_sha256, password_hash, at: now() })
          },
        })
        return reply.code(204).send(null)
      },
    )
  }
