import { z } from 'zod'
import { parseInstant } from '../../../domain/instants.ts'
import { returnTo } from '../../../domain/sso/return-to.ts'
import { findLinkView, MadeLink } from '../../../queries/access/account-links.ts'
import { LEVELS } from '../../../queries/access/levels.ts'
import { ErrorBody, mustExist } from '../../errors.ts'
import { Label } from '../../identity/fields.ts'
import { newIds } from '../../identity/ids.ts'
import { checkAccount } from '../../identity/own-account.ts'
import { hashOfToken, newLinkSecret } from '../../identity/secrets.ts'
import { checkSeesAll } from '../../identity/sees-all.ts'
import { SetName } from '../api-keys/new-key.ts'
import type { Route } from '../route.ts'
import { Role } from '../users/user.ts'

const MAX_GRANTS = 100

const NewInvite = z.strictObject({
  role: Role,
  label: Label.nullish().meta({ description: 'Whom it is for, as admins see it. It is deleted when the link ends.' }),
  grants: z
    .array(z.strictObject({ project: SetName, suite: SetName.nullish(), level: z.enum(LEVELS) }))
    .max(MAX_GRANTS)
    .optional()
    .meta({ description: 'What the account is granted, each project or suite once.' }),
  expires_at: z
    .string()
    .refine((given) => parseInstant(given) !== null, 'must be an RFC 3339 instant')
    .nullish()
    .meta({ format: 'date-time', description: 'When the link ends, in 30 days at most; in 7 days without it.' }),
  return_to: z
    .string()
    .refine((path) => returnTo(path) === path, 'must be a path of this service, such as /runs')
    .nullish()
    .meta({ description: 'The path of the page that the invited person sees first.' }),
})

export const createInviteRoute: Route = (app, { reader, commit, now }) => {
  const mint = newIds()
  app.post(
    '/links',
    {
      config: { scope: 'admin', body: 'fields' },
      schema: {
        tags: ['users'],
        operationId: 'createInvite',
        summary: 'Make a link with which one person can make an account; it is in this response only',
        body: NewInvite,
        response: { 201: MadeLink, 409: ErrorBody, 422: ErrorBody },
      },
    },
    async ({ viewer, body: { role, label = null, grants = [], expires_at = null, return_to = null } }, reply) => {
      checkSeesAll(viewer, 'a link for an account')
      checkAccount(viewer)
      const secret = newLinkSecret('invite')
      const [link_id, at] = [mint(), now()]
      await commit.makeInvite(viewer, {
        link_id,
        secret_sha256: hashOfToken(secret),
        label: label?.trim() === '' ? null : label,
        role,
        grants: grants.map(({ suite = null, ...grant }) => ({ ...grant, suite })),
        expires_at: expires_at === null ? null : parseInstant(expires_at),
        at,
      })
      const made = mustExist(await reader.read(findLinkView(viewer, at, link_id)), 'link')
      const query = return_to === null ? '' : `?${new URLSearchParams({ return_to }).toString()}`
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send({ ...made, secret, path: `/invite${query}#${secret}` })
    },
  )
}
