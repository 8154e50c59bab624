import type { Route } from '../route.ts'
import { createApiKeyRoute } from './create-api-key.ts'
import { listApiKeysRoute } from './list-api-keys.ts'
import { revokeApiKeyRoute } from './revoke-api-key.ts'

/** Routes of API keys, in the order of the API's document. */
export const apiKeyRoutes: readonly Route[] = [listApiKeysRoute, createApiKeyRoute, revokeApiKeyRoute]
