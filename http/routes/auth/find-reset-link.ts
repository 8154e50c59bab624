import { z } from 'zod'
import { rfc3339 } from '../../../domain/wire.ts'
import { ShownResetLink } from '../../../queries/access/account-links.ts'
import { ErrorBody } from '../../errors.ts'
import type { Route } from '../route.ts'
import { linkAttempts, Secret } from './link-attempt.ts'
import type { SignInGuard } from './sign-in-guard.ts'

export const findResetLinkRoute =
  (guard: SignInGuard): Route =>
  (app, services) => {
    const attempt = linkAttempts('reset', guard, services)
    app.post(
      '/auth/reset',
      {
        config: { scope: null, body: 'fields' },
        schema: {
          tags: ['auth'],
          operationId: 'findResetLink',
          summary: 'Whose password a link resets, by its secret',
          body: z.strictObject({ secret: Secret }),
          response: { 200: ShownResetLink, 403: ErrorBody, 404: ErrorBody, 422: ErrorBody, 429: ErrorBody },
        },
      },
      async ({ viewer, body: { secret } }, reply) => {
        const shown = await attempt({
          viewer,
          secret,
          use: async ({ link: { user_id, username, expires_at } }) => ({
            username: username ?? user_id,
            expires_at: rfc3339(expires_at),
          }),
        })
        return reply.header('cache-control', 'no-store').send(shown)
      },
    )
  }
