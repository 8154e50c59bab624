import { z } from 'zod'
import { findAccounts, FoundAccounts } from '../../../queries/access/access.ts'
import { ErrorBody, mustExist } from '../../errors.ts'
import type { Route } from '../route.ts'
import { setPath, type SetScope } from './set-scopes.ts'

const AccountsQuery = z.strictObject({
  name: z.string().meta({ description: 'The beginning of a name, in any case. An empty one finds no account.' }),
})

export const findAccountsRoute =
  (scope: SetScope): Route =>
  (app, { reader }) =>
    app.get(
      `${scope.path}/accounts`,
      {
        // Only who may grant access needs the accounts, so the scope is that of a grant.
        config: { scope: 'write' },
        schema: {
          tags: ['access'],
          operationId: `find${scope.noun}Accounts`,
          summary: 'Accounts whose names begin with a text, to grant them a level',
          params: setPath(scope),
          querystring: AccountsQuery,
          response: { 200: FoundAccounts, 404: ErrorBody },
        },
      },
      async ({ viewer, params, query: { name } }) =>
        mustExist(await findAccounts(reader, viewer, params, name), 'run set'),
    )
