import { z } from 'zod'
import { ApiKey, findOwnKey } from '../../../queries/access/api-keys.ts'
import { ErrorBody, mustExist } from '../../errors.ts'
import { newIds } from '../../identity/ids.ts'
import { checkAccount } from '../../identity/own-account.ts'
import type { Route } from '../route.ts'
import { NewApiKey, newKey } from './new-key.ts'

/** The only answer that contains the secret. */
export const Minted = ApiKey.extend({ key: z.string() }).meta({ id: 'MintedApiKey' })

export const createApiKeyRoute: Route = (app, { reader, commit, now }) => {
  const mint = newIds()
  app.post(
    '/apikeys',
    {
      config: { scope: 'review', body: 'fields' },
      schema: {
        tags: ['apikeys'],
        operationId: 'createApiKey',
        summary: 'Create an API key; the secret is in this response only',
        body: NewApiKey,
        response: { 201: Minted, 409: ErrorBody, 422: ErrorBody },
      },
    },
    async ({ viewer, body }, reply) => {
      checkAccount(viewer)
      const { key, made } = newKey(body, { mint, now })
      await commit.mintKey(viewer, made)
      const created = mustExist(await reader.read(findOwnKey(viewer, made.key_id)), 'api key')
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send({ ...created, key })
    },
  )
}
