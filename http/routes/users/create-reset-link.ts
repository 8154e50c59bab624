import { findLinkView, MadeLink } from '../../../queries/access/account-links.ts'
import { ErrorBody, mustExist } from '../../errors.ts'
import { newIds } from '../../identity/ids.ts'
import { checkAccount } from '../../identity/own-account.ts'
import { hashOfToken, newLinkSecret } from '../../identity/secrets.ts'
import { checkSeesAll } from '../../identity/sees-all.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const createResetLinkRoute: Route = (app, { reader, commit, now }) => {
  const mint = newIds()
  app.post(
    '/users/:id/reset-link',
    {
      config: { scope: 'admin' },
      schema: {
        tags: ['users'],
        operationId: 'createResetLink',
        summary: 'Make a link with which the owner of an account can set a password; it is in this response only',
        params: IdPath,
        response: { 201: MadeLink, 404: ErrorBody, 409: ErrorBody },
      },
    },
    async ({ viewer, params: { id: user_id } }, reply) => {
      checkSeesAll(viewer, 'a link for an account')
      checkAccount(viewer)
      const secret = newLinkSecret('reset')
      const [link_id, at] = [mint(), now()]
      await commit.makeResetLink(viewer, { user_id, link_id, secret_sha256: hashOfToken(secret), at })
      const made = mustExist(await reader.read(findLinkView(viewer, at, link_id)), 'link')
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send({ ...made, secret, path: `/reset#${secret}` })
    },
  )
}
