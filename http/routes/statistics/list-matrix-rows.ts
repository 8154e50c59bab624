import { z } from 'zod'
import { runTag } from '../../../commands/tags.ts'
import { MATRIX_SORTS } from '../../../domain/lists/matrix-order.ts'
import { MATRIX_VALUES } from '../../../domain/run/matrix-values.ts'
import { MatrixRows } from '../../../queries/cases/matrix-rows.ts'
import { MAX_NUMBERED_ROWS } from '../../../queries/cases/matrix.ts'
import { findRun } from '../../../queries/runs/run.ts'
import { orders } from '../../../runtime/orders.ts'
import { answerFound } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ, mustExist } from '../../errors.ts'
import { IdPath, paged } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

const MatrixRowsQuery = z.strictObject({
  value: z.enum(MATRIX_VALUES).default('score').meta({ description: 'The number in the cells.' }),
  sort: z
    .enum(MATRIX_SORTS)
    .default('document')
    .meta({ description: 'The order of the rows: by the mean or the spread of `value`, or by name.' }),
  only: z.enum(['disagree']).optional().meta({ description: '`disagree`: rows whose columns differ in what passed.' }),
  ...paged(100, MAX_NUMBERED_ROWS),
})

export const listMatrixRowsRoute: Route = (app, { reader, longReads }) => {
  const matrixOrders = orders(longReads.matrixOrder)
  app.get(
    '/runs/:id/matrix/rows',
    {
      config: { scope: 'read', cached: { tags: ({ id }: IdPath) => [runTag(id)] } },
      schema: {
        tags: ['runs'],
        operationId: 'listMatrixRows',
        summary: 'The sorted rows of a matrix, with one value in each cell',
        params: IdPath,
        querystring: MatrixRowsQuery,
        response: { 200: MatrixRows, 404: ErrorBody, ...LONG_READ },
      },
    },
    async ({ viewer, params: { id }, query, clientLeft }, reply) => {
      const run = mustExist(await reader.read(findRun(viewer, id)), 'run')
      const order = mustExist(await matrixOrders.find(viewer, [run], { run_id: id }, clientLeft), 'run')
      const asked = { run_id: id, run_no: run.run_no, order: new Float64Array(order), ...query }
      return answerFound(reply, await longReads.matrixRows(viewer, asked, clientLeft), 'run')
    },
  )
}
