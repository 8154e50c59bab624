import { runTag } from '../../../commands/tags.ts'
import { CaseList } from '../../../queries/cases/cases.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { answerCases, DistributionCases } from './case-lists.ts'

export const listDistributionCasesRoute: Route = (app, services) =>
  app.get(
    '/runs/:id/distribution/cases',
    {
      config: { scope: 'read', cached: { tags: ({ id }: IdPath) => [runTag(id)] } },
      schema: {
        tags: ['cases'],
        operationId: 'listDistributionCases',
        summary: 'The cases in one part of the distribution',
        params: IdPath,
        querystring: DistributionCases,
        response: { 200: CaseList, 404: ErrorBody, ...LONG_READ },
      },
    },
    async (request, reply) => answerCases(services, request, reply),
  )
