import { runTag } from '../../../commands/tags.ts'
import { CaseFieldsView, findCaseFields } from '../../../queries/cases/case-fields.ts'
import { findRun } from '../../../queries/runs/run.ts'
import { answerFound } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ, mustExist } from '../../errors.ts'
import { IdPath, optionalText } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { DistributionFilters, MANY_CASES } from './case-lists.ts'

export const getCaseFieldsRoute: Route = (app, { reader, documents, longReads }) =>
  app.get(
    '/runs/:id/case-fields',
    {
      config: { scope: 'read', cached: { tags: ({ id }: IdPath) => [runTag(id)] } },
      schema: {
        tags: ['cases'],
        operationId: 'getCaseFields',
        summary: 'The fields by which the cases of a run can be shown and grouped, and the groups of one of them',
        params: IdPath,
        querystring: DistributionFilters.extend({
          by: optionalText.meta({
            description:
              'The field to group by: `provider`, `prompt`, `tag`, `stop_reason`, `error_class`, or one of `fields`, such as `var.city`.',
          }),
        }),
        response: { 200: CaseFieldsView, 404: ErrorBody, ...LONG_READ },
      },
    },
    async ({ viewer, params, query, clientLeft }, reply) => {
      const { by, ...filters } = query
      const run = mustExist(await reader.read(findRun(viewer, params.id)), 'run')
      if (run.stored_cases <= MANY_CASES && filters.q === undefined)
        return mustExist(await findCaseFields(reader, documents, viewer, params.id, { filters, by }), 'run')
      return answerFound(
        reply,
        await longReads.caseFields(viewer, { run_id: params.id, filters, by }, clientLeft),
        'run',
      )
    },
  )
