import { runTag } from '../../../commands/tags.ts'
import { Distribution, findDistribution } from '../../../queries/cases/distribution.ts'
import { findRun } from '../../../queries/runs/run.ts'
import { answerFound } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ, mustExist } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { MANY_CASES } from './case-lists.ts'

export const getDistributionRoute: Route = (app, { reader, longReads }) =>
  app.get(
    '/runs/:id/distribution',
    {
      config: { scope: 'read', cached: { tags: ({ id }: IdPath) => [runTag(id)] } },
      schema: {
        tags: ['cases'],
        operationId: 'getDistribution',
        summary: 'The distribution of the cases of a run',
        params: IdPath,
        response: { 200: Distribution, 404: ErrorBody, ...LONG_READ },
      },
    },
    async ({ viewer, params, clientLeft }, reply) => {
      const run = mustExist(await reader.read(findRun(viewer, params.id)), 'run')
      if (run.stored_cases <= MANY_CASES) return mustExist(await findDistribution(reader, viewer, params.id), 'run')
      return answerFound(reply, await longReads.distribution(viewer, { run_id: params.id }, clientLeft), 'run')
    },
  )
