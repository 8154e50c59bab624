import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { runTag } from '../../../commands/tags.ts'
import { MatrixRows } from '../../../queries/cases/matrix-rows.ts'
import { findRun } from '../../../queries/runs/run.ts'
import { orders } from '../../../runtime/orders.ts'
import { answerText } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ, notFound } from '../../errors.ts'
import { MatrixRowsQuery, nameParameter } from '../../requests/shared-parameters.ts'
import type { Services } from '../../services.ts'

const RunPath = z.object({ id: nameParameter })

/** The rows of a matrix in an order, with one value a cell. */
export const matrixRowsRoutes =
  ({ reader, longReads }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const matrixOrders = orders(longReads.matrixOrder)
    const schema = {
      tags: ['runs'],
      operationId: 'listMatrixRows',
      summary: 'The rows of a matrix in an order, with one value a cell',
      params: RunPath,
      querystring: MatrixRowsQuery,
      response: { 200: MatrixRows, 400: ErrorBody, 404: ErrorBody, ...LONG_READ },
    }
    const config = { scope: 'read', cached: { tags: ({ id }: { id: string }) => [runTag(id)] } } as const
    app.get(
      '/runs/:id/matrix/rows',
      { config, schema },
      async ({ viewer, params: { id }, query, clientLeft }, reply) => {
        const run = await reader.read(findRun(viewer, id))
        const order = run && (await matrixOrders.find(viewer, [run], { run_id: id }, clientLeft))
        if (!order) throw notFound('run')
        const asked = { run_id: id, run_no: run.run_no, order: new Float64Array(order), ...query }
        const answer = await longReads.matrixRows(viewer, asked, clientLeft)
        if (answer === null) throw notFound('run')
        return answerText(reply, answer)
      },
    )
  }
