import { runTag } from '../../../commands/tags.ts'
import { CaseList } from '../../../queries/cases/cases.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { answerCases, CaseFilters, casePage } from './case-lists.ts'

export const listCasesRoute: Route = (app, services) =>
  app.get(
    '/runs/:id/cases',
    {
      config: { scope: 'read', cached: { tags: ({ id }: IdPath) => [runTag(id)] } },
      schema: {
        tags: ['cases'],
        operationId: 'listCases',
        summary: 'The cases of a run',
        params: IdPath,
        querystring: CaseFilters.extend(casePage),
        response: { 200: CaseList, 404: ErrorBody, ...LONG_READ },
      },
    },
    async (request, reply) => answerCases(services, request, reply),
  )
