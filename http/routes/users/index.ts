import type { Route } from '../route.ts'
import { changeUserRoute } from './change-user.ts'
import { createResetLinkRoute } from './create-reset-link.ts'
import { createServiceKeyRoute } from './create-service-key.ts'
import { createUserRoute } from './create-user.ts'
import { deleteUserRoute } from './delete-user.ts'
import { listApiKeysOfUserRoute } from './list-api-keys-of-user.ts'
import { listUserOverviewsRoute } from './list-user-overviews.ts'
import { listUsersRoute } from './list-users.ts'

/** Routes of users, in the order of the API's document. */
export const userRoutes: readonly Route[] = [
  listUsersRoute,
  listUserOverviewsRoute,
  listApiKeysOfUserRoute,
  createServiceKeyRoute,
  createUserRoute,
  changeUserRoute,
  deleteUserRoute,
  createResetLinkRoute,
]
