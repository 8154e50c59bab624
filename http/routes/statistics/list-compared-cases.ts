import { z } from 'zod'
import { runTag } from '../../../commands/tags.ts'
import { COMPARED_SORTS } from '../../../domain/lists/compared-sorts.ts'
import { CHANGE_FILTERS } from '../../../domain/lists/changes.ts'
import { ComparedCases } from '../../../queries/statistics/compared-cases.ts'
import { orders } from '../../../runtime/orders.ts'
import { answerFound } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ, mustExist, notFound } from '../../errors.ts'
import { freeText, optionalText, paged, PairPath, sorted } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { findComparable } from './comparable.ts'
import { columns } from './parameters.ts'

const ComparedCasesQuery = z.strictObject({
  filter: z.enum(CHANGE_FILTERS).default('changed').meta({
    description:
      'What happened to the cases. `changed`: they got worse or better. `lost`: they passed, and have no verdict now.',
  }),
  case: z.string().optional().meta({
    description: 'The key of a case that is returned as `linked` too; `linked` is null if neither run has it.',
  }),
  q: freeText,
  tag: optionalText,
  field: optionalText.meta({
    description: 'A variable of the case with its value, such as `var.city=Lima`. Text without `=` selects nothing.',
  }),
  provider: optionalText,
  ...columns,
  ...sorted(COMPARED_SORTS, 'asc'),
  ...paged(200, 500),
})

export const listComparedCasesRoute: Route = (app, { reader, longReads }) => {
  const pairOrders = orders(longReads.comparedOrder)
  app.get(
    '/runs/:id/compare/:other/cases',
    {
      config: { scope: 'read', cached: { tags: ({ id, other }: PairPath) => [runTag(id), runTag(other)] } },
      schema: {
        tags: ['statistics'],
        operationId: 'listComparedCases',
        summary: 'The cases of two runs, or of columns of runs, in pairs, by what happened to them',
        params: PairPath,
        querystring: ComparedCasesQuery,
        response: { 200: ComparedCases, 404: ErrorBody, ...LONG_READ, 422: ErrorBody },
      },
    },
    async ({ viewer, params: { id, other }, query, clientLeft }, reply) => {
      const {
        case: case_key,
        base_column,
        head_column,
        q,
        tag,
        field,
        provider,
        sort,
        order: direction,
        ...page
      } = query
      const [base, head] = await findComparable(reader, viewer, [id, other])
      if (!base || !head) throw notFound('run')
      const pair = { base: id, head: other, base_column, head_column }
      const order = mustExist(await pairOrders.find(viewer, [base, head], pair, clientLeft), 'run')
      const asked = {
        base: id,
        head: other,
        base_no: base.run_no,
        head_no: head.run_no,
        order: new Int32Array(order),
        case_key,
        listing: { q, tag, field, provider, sort, order: direction },
        ...page,
      }
      return answerFound(reply, await longReads.comparedCases(viewer, asked, clientLeft), 'run')
    },
  )
}
