import { listKeys } from '../../../queries/access/api-keys.ts'
import { ErrorBody } from '../../errors.ts'
import { checkSeesAll } from '../../identity/sees-all.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import { ApiKeys } from '../api-keys/list-api-keys.ts'
import type { Route } from '../route.ts'
import { readUser } from './user.ts'

export const listApiKeysOfUserRoute: Route = (app, { reader }) =>
  app.get(
    '/users/:id/apikeys',
    {
      config: { scope: 'admin' },
      schema: {
        tags: ['users'],
        operationId: 'listApiKeysOfUser',
        summary: "An account's API keys",
        params: IdPath,
        response: { 200: ApiKeys, 404: ErrorBody },
      },
    },
    async ({ viewer, params: { id } }) => {
      checkSeesAll(viewer)
      await readUser(reader, id)
      return { keys: await reader.read(listKeys(id)) }
    },
  )
