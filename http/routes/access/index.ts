import type { Route } from '../route.ts'
import { findAccountsRoute } from './find-accounts.ts'
import { getAccessRoute } from './get-access.ts'
import { grantAccessRoute } from './grant-access.ts'
import { liftRestrictionByNameRoute } from './lift-restriction-by-name.ts'
import { liftRestrictionRoute } from './lift-restriction.ts'
import { listAccessRoute } from './list-access.ts'
import { restrictSetRoute } from './restrict-set.ts'
import { revokeAccessRoute } from './revoke-access.ts'
import { revokeGrantByNameRoute } from './revoke-grant-by-name.ts'
import { SET_SCOPES } from './set-scopes.ts'

const ROUTES_OF_SETS = [
  getAccessRoute,
  findAccountsRoute,
  restrictSetRoute,
  liftRestrictionRoute,
  grantAccessRoute,
  revokeAccessRoute,
]

export const accessRoutes: readonly Route[] = [
  ...SET_SCOPES.flatMap((scope) => ROUTES_OF_SETS.map((route) => route(scope))),
  listAccessRoute,
  liftRestrictionByNameRoute,
  revokeGrantByNameRoute,
]
