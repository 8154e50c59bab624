import { setTag } from '../../../commands/tags.ts'
import { findSuiteSet, SuiteSet } from '../../../queries/sets/sets.ts'
import { ErrorBody, mustExist } from '../../errors.ts'
import { SuitePath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const getSuiteRoute: Route = (app, { reader }) =>
  app.get(
    '/sets/:project/suites/:suite',
    {
      config: {
        scope: 'read',
        cached: { levels: true, tags: (suite: SuitePath) => [setTag(suite)] },
      },
      schema: {
        tags: ['sets'],
        operationId: 'getSuite',
        summary: 'A suite, its baseline and its runs',
        params: SuitePath,
        response: { 200: SuiteSet, 404: ErrorBody },
      },
    },
    async ({ viewer, params }) => mustExist(await findSuiteSet(reader, viewer, params), 'run set'),
  )
