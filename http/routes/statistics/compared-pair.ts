import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { RUNS, runTag } from '../../../commands/tags.ts'
import { ComparedConfigs } from '../../../queries/runs/config.ts'
import { NearestRun } from '../../../queries/runs/nearest-run.ts'
import { ComparedCases } from '../../../queries/statistics/compared-cases.ts'
import { answerText } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ, notFound } from '../../errors.ts'
import { nameParameter, NoParameters } from '../../requests/shared-parameters.ts'
import { ComparedCasesQuery } from '../../requests/statistics-parameters.ts'
import type { Services } from '../../services.ts'
import { orders } from '../../../runtime/orders.ts'
import { findComparable } from './comparable.ts'

const PairPath = z.object({ id: nameParameter, other: nameParameter })
type PairPath = z.infer<typeof PairPath>

/**
 * The cases of two runs in pairs, their configurations, and the run to compare with instead. The function is long
 * because it lists every route.
 */
export const comparedPairRoutes =
  ({ reader, longReads }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const pairOrders = orders(longReads.comparedOrder)
    const tags = ['statistics']
    const errors = { 400: ErrorBody, 404: ErrorBody, ...LONG_READ }
    const cases = {
      tags,
      operationId: 'listComparedCases',
      summary: 'The cases of two runs in pairs, by what happened to them',
      params: PairPath,
      querystring: ComparedCasesQuery,
      response: { 200: ComparedCases, ...errors, 422: ErrorBody },
    }
    const ofPair = {
      scope: 'read',
      cached: { tags: ({ id, other }: PairPath) => [runTag(id), runTag(other)] },
    } as const
    app.get(
      '/runs/:id/compare/:other/cases',
      { config: ofPair, schema: cases },
      async ({ viewer, params: { id, other }, query: { case: case_key, ...query }, clientLeft }, reply) => {
        const [base, head] = await findComparable(reader, viewer, [id, other])
        if (!base || !head) throw notFound('run')
        const pair = { base: id, head: other }
        const order = await pairOrders.find(viewer, [base, head], pair, clientLeft)
        if (!order) throw notFound('run')
        const asked = {
          ...pair,
          base_no: base.run_no,
          head_no: head.run_no,
          order: new Int32Array(order),
          case_key,
          ...query,
        }
        const answer = await longReads.comparedCases(viewer, asked, clientLeft)
        if (answer === null) throw notFound('run')
        return answerText(reply, answer)
      },
    )

    const configs = {
      tags,
      operationId: 'compareConfigs',
      summary: 'The configurations of two runs',
      params: PairPath,
      querystring: NoParameters,
      response: { 200: ComparedConfigs, ...errors },
    }
    app.get(
      '/runs/:id/compare/:other/config',
      { config: ofPair, schema: configs },
      async ({ viewer, params: { id, other }, clientLeft }, reply) => {
        const answer = await longReads.comparedConfigs(viewer, { base: id, head: other }, clientLeft)
        if (answer === null) throw notFound('run')
        return answerText(reply, answer)
      },
    )

    const nearest = {
      tags,
      operationId: 'findNearestRun',
      summary: 'The run of its suite with which the head can be compared best, the base aside',
      params: PairPath,
      querystring: NoParameters,
      response: { 200: NearestRun, ...errors },
    }
    // Runs that are uploaded or deleted later may be the nearest one.
    const ofSuite = {
      scope: 'read',
      cached: { tags: ({ id, other }: PairPath) => [runTag(id), runTag(other), RUNS] },
    } as const
    app.get(
      '/runs/:id/compare/:other/nearest',
      { config: ofSuite, schema: nearest },
      async ({ viewer, params: { id, other }, clientLeft }, reply) => {
        const answer = await longReads.nearestRun(viewer, { base: id, head: other }, clientLeft)
        if (answer === null) throw notFound('run')
        return answerText(reply, answer)
      },
    )
  }
