import { z } from 'zod'
import { ApiKey, listOwnKeys } from '../../../queries/access/api-keys.ts'
import { checkAccount } from '../../identity/own-account.ts'
import type { Route } from '../route.ts'

export const ApiKeys = z.object({ keys: z.array(ApiKey) }).meta({ id: 'ApiKeys' })

export const listApiKeysRoute: Route = (app, { reader }) =>
  app.get(
    '/apikeys',
    {
      config: { scope: 'review' },
      schema: {
        tags: ['apikeys'],
        operationId: 'listApiKeys',
        summary: 'Your API keys',
        response: { 200: ApiKeys },
      },
    },
    async ({ viewer }) => {
      checkAccount(viewer)
      return { keys: await reader.read(listOwnKeys(viewer)) }
    },
  )
