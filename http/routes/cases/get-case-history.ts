import { z } from 'zod'
import { setTag } from '../../../commands/tags.ts'
import { CaseHistory, findHistory } from '../../../queries/cases/history.ts'
import { ErrorBody, mustExist } from '../../errors.ts'
import { limit, nameParameter, SuitePath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const getCaseHistoryRoute: Route = (app, { reader }) =>
  app.get(
    '/projects/:project/suites/:suite/cases/:case_key/history',
    {
      config: { scope: 'read', cached: { tags: (suite: SuitePath) => [setTag(suite)] } },
      schema: {
        tags: ['cases'],
        operationId: 'getCaseHistory',
        summary: 'A case in the newest runs of its suite',
        params: SuitePath.extend({ case_key: nameParameter }),
        querystring: z.strictObject({ limit: limit(20, 100) }),
        response: { 200: CaseHistory, 404: ErrorBody },
      },
    },
    async ({ viewer, params, query }) => mustExist(await findHistory(reader, viewer, params, query.limit), 'case'),
  )
