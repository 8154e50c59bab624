import { z } from 'zod'
import { setTag } from '../../../commands/tags.ts'
import { CaseTimeline, findTimeline } from '../../../queries/cases/timeline.ts'
import { ErrorBody, mustExist } from '../../errors.ts'
import { nameParameter, paged, SuitePath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const getCaseTimelineRoute: Route = (app, { reader }) =>
  app.get(
    '/projects/:project/suites/:suite/cases/:case_key/timeline',
    {
      config: { scope: 'read', cached: { tags: (suite: SuitePath) => [setTag(suite)] } },
      schema: {
        tags: ['cases'],
        operationId: 'getCaseTimeline',
        summary: 'A case in the runs of its suite, with what changed from run to run',
        params: SuitePath.extend({ case_key: nameParameter }),
        querystring: z.strictObject(paged(50, 200)),
        response: { 200: CaseTimeline, 404: ErrorBody },
      },
    },
    async ({ viewer, params, query }) => mustExist(await findTimeline(reader, viewer, params, query), 'case'),
  )
