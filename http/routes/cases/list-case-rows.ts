import { runTag } from '../../../commands/tags.ts'
import { CaseRows, listCaseRows } from '../../../queries/cases/case-rows.ts'
import { findRun } from '../../../queries/runs/run.ts'
import { answerFound } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ, mustExist } from '../../errors.ts'
import { flag, IdPath, limit, optionalText, whole } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { caseOrder, DistributionFilters, MANY_ASSERTS, MANY_CASES } from './case-lists.ts'

const CaseRowsQuery = DistributionFilters.extend({
  ...caseOrder,
  limit: limit(200, 200),
  offset: whole({ minimum: 0 })
    .refine((given) => given === undefined || given >= 0, 'must be 0 or more')
    .meta({ type: 'integer', minimum: 0, description: 'Position of the first row in the whole list, counted from 0.' }),
  fields: flag.meta({ description: 'Whether each row has the variables and assertions of its case.' }),
  around: optionalText.meta({
    description:
      'Key of a case: the page that has it. If the run does not have it, or the filters leave it out, the page at `offset` with `place` null.',
  }),
})

export const listCaseRowsRoute: Route = (app, { reader, documents, longReads }) =>
  app.get(
    '/runs/:id/case-rows',
    {
      config: { scope: 'read', cached: { tags: ({ id }: IdPath) => [runTag(id)] } },
      schema: {
        tags: ['cases'],
        operationId: 'listCaseRows',
        summary: 'The cases from a position of the list on, each with one line about its call and its failure',
        params: IdPath,
        querystring: CaseRowsQuery,
        response: { 200: CaseRows, 404: ErrorBody, ...LONG_READ },
      },
    },
    async ({ viewer, params, query, clientLeft }, reply) => {
      const { sort, order, limit, offset = 0, around, fields, ...filters } = query
      const run = mustExist(await reader.read(findRun(viewer, params.id)), 'run')
      const asked = { filters, order: { sort, order }, limit, offset, around, fields }
      const isShort =
        filters.q === undefined && run.stored_cases <= MANY_CASES && run.largest_asserts * limit <= MANY_ASSERTS
      const text = isShort
        ? await listCaseRows(reader, documents, viewer, run, asked)
        : await longReads.caseRows(viewer, { run_id: params.id, ...asked }, clientLeft)
      return answerFound(reply, text, 'run')
    },
  )
