import { AccessList, findAccessList } from '../../../queries/access/access.ts'
import { ErrorBody, mustExist } from '../../errors.ts'
import type { Route } from '../route.ts'
import { setPath, type SetScope } from './set-scopes.ts'

export const getAccessRoute =
  (scope: SetScope): Route =>
  (app, { reader }) =>
    app.get(
      `${scope.path}/access`,
      {
        // Not cached: the answer depends on the account, and requests are rare.
        config: { scope: 'read' },
        schema: {
          tags: ['access'],
          operationId: `get${scope.noun}Access`,
          summary: `The restriction of ${scope.thing}, and who was granted what`,
          params: setPath(scope),
          response: { 200: AccessList, 404: ErrorBody },
        },
      },
      async ({ viewer, params }) => mustExist(await findAccessList(reader, viewer, params), 'run set'),
    )
