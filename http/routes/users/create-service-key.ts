import { findAccountKey } from '../../../queries/access/api-keys.ts'
import { ErrorBody, mustExist } from '../../errors.ts'
import { newIds } from '../../identity/ids.ts'
import { checkSeesAll } from '../../identity/sees-all.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import { Minted } from '../api-keys/create-api-key.ts'
import { NewApiKey, newKey } from '../api-keys/new-key.ts'
import type { Route } from '../route.ts'

export const createServiceKeyRoute: Route = (app, { reader, commit, now }) => {
  const mint = newIds()
  app.post(
    '/users/:id/apikeys',
    {
      config: { scope: 'admin', body: 'fields' },
      schema: {
        tags: ['users'],
        operationId: 'createServiceKey',
        summary: 'Create an API key of a service account; the secret is in this response only',
        params: IdPath,
        body: NewApiKey,
        response: { 201: Minted, 404: ErrorBody, 409: ErrorBody, 422: ErrorBody },
      },
    },
    async ({ viewer, params: { id: user_id }, body }, reply) => {
      checkSeesAll(viewer, 'a key of another account')
      const { key, made } = newKey(body, { mint, now })
      await commit.mintServiceKey(viewer, { ...made, user_id })
      const created = mustExist(await reader.read(findAccountKey(user_id, made.key_id)), 'api key')
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send({ ...created, key })
    },
  )
}
