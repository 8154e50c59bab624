import { z } from 'zod'
import { rfc3339 } from '../../../domain/wire.ts'
import { ShownInvite } from '../../../queries/access/account-links.ts'
import { ErrorBody } from '../../errors.ts'
import type { Route } from '../route.ts'
import { linkAttempts, Secret } from './link-attempt.ts'
import type { SignInGuard } from './sign-in-guard.ts'

export const findInviteRoute =
  (guard: SignInGuard): Route =>
  (app, services) => {
    const attempt = linkAttempts('invite', guard, services)
    app.post(
      '/auth/invite',
      {
        config: { scope: null, body: 'fields' },
        schema: {
          tags: ['auth'],
          operationId: 'findInvite',
          summary: 'What an invite gives, by the secret of its link',
          body: z.strictObject({ secret: Secret }),
          response: { 200: ShownInvite, 403: ErrorBody, 404: ErrorBody, 422: ErrorBody, 429: ErrorBody },
        },
      },
      async ({ viewer, body: { secret } }, reply) => {
        const shown = await attempt({
          viewer,
          secret,
          use: async ({ link: { role, grants, made_by, expires_at } }) => ({
            role,
            grants: [...grants],
            invited_by: made_by,
            expires_at: rfc3339(expires_at),
          }),
        })
        return reply.header('cache-control', 'no-store').send(shown)
      },
    )
  }
