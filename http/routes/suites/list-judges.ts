import { setTag } from '../../../commands/tags.ts'
import { SuiteJudges } from '../../../queries/reviews/judges.ts'
import { answerFound } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import { SuitePath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const listJudgesRoute: Route = (app, { longReads }) =>
  app.get(
    '/projects/:project/suites/:suite/judges',
    {
      config: { scope: 'read', cached: { tags: (suite: SuitePath) => [setTag(suite)] } },
      schema: {
        tags: ['sets'],
        operationId: 'listJudges',
        summary: 'The judges of each metric of a suite, with the runs in which they judged, the newest first',
        params: SuitePath,
        response: { 200: SuiteJudges, 404: ErrorBody, ...LONG_READ },
      },
    },
    async ({ viewer, params: { project, suite }, clientLeft }, reply) =>
      answerFound(reply, await longReads.suiteJudges(viewer, { project, suite }, clientLeft), 'run set'),
  )
