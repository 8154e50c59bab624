import { z } from 'zod'
import { ApiKey, findOwnKey } from '../../../queries/access/api-keys.ts'
import { SCOPES } from '../../../queries/access/viewer.ts'
import { ErrorBody, mustExist } from '../../errors.ts'
import { Label } from '../../identity/fields.ts'
import { newIds } from '../../identity/ids.ts'
import { checkAccount } from '../../identity/own-account.ts'
import { hashOfToken, newApiKey, shownPrefixOf } from '../../identity/secrets.ts'
import type { Route } from '../route.ts'

/** The only answer that contains the secret. */
const Minted = ApiKey.extend({ key: z.string() }).meta({ id: 'MintedApiKey' })

export const createApiKeyRoute: Route = (app, { reader, commit }) => {
  const mint = newIds()
  app.post(
    '/apikeys',
    {
      config: { scope: 'read', body: 'fields' },
      schema: {
        tags: ['apikeys'],
        operationId: 'createApiKey',
        summary: 'Create an API key; the secret is in this response only',
        body: z.strictObject({ name: Label.nullish(), scope: z.enum(SCOPES).nullish() }),
        response: { 201: Minted, 409: ErrorBody, 422: ErrorBody },
      },
    },
    async ({ viewer, body: { name = null, scope = null } }, reply) => {
      checkAccount(viewer)
      const key = newApiKey()
      const key_id = mint()
      await commit.mintKey(viewer, {
        key_id,
        name,
        scope,
        prefix: shownPrefixOf(key),
        secret_hash: hashOfToken(key),
      })
      const created = mustExist(await reader.read(findOwnKey(viewer, key_id)), 'api key')
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send({ ...created, key })
    },
  )
}
