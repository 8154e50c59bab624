import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { ErrorBody } from '../errors.ts'
import { nameParameter, NoParameters } from '../requests/shared-parameters.ts'
import type { Services } from '../services.ts'

const Suite = z.object({ project: nameParameter, suite: nameParameter })
const Body = z.strictObject({ run_id: nameParameter })

/** Pins and unpins the run that a suite is compared with. */
export const baselineRoutes =
  ({ commit }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const tags = ['baselines']
    const pin = {
      tags,
      operationId: 'pinBaseline',
      summary: 'Pin the run with which later runs of a suite are compared',
      params: Suite,
      querystring: NoParameters,
      body: Body,
      response: { 200: Suite.extend(Body.shape), 400: ErrorBody, 403: ErrorBody, 404: ErrorBody, 422: ErrorBody },
    }
    app.put(
      '/projects/:project/suites/:suite/baseline',
      { config: { scope: 'write', body: 'fields' }, schema: pin },
      async ({ params, body, viewer }) => {
        await commit.pinBaseline(viewer, { ...params, ...body })
        return { ...params, ...body }
      },
    )

    const unpin = {
      tags,
      operationId: 'unpinBaseline',
      summary: 'Unpin the baseline of a suite',
      params: Suite,
      querystring: NoParameters,
      response: { 204: z.null(), 403: ErrorBody, 404: ErrorBody },
    }
    app.delete(
      '/projects/:project/suites/:suite/baseline',
      { config: { scope: 'write' }, schema: unpin },
      async ({ params, viewer }, reply) => {
        await commit.unpinBaseline(viewer, params)
        return reply.code(204).send(null)
      },
    )

    // For suites and projects named `.` or `..`: clients remove these from a path, but not from a query.
    const unpinByQuery = {
      tags,
      operationId: 'unpinBaselineByName',
      summary: 'Unpin a baseline; works for any names',
      querystring: z.strictObject(Suite.shape),
      response: { 204: z.null(), 400: ErrorBody, 403: ErrorBody, 404: ErrorBody },
    }
    app.delete('/baselines', { config: { scope: 'write' }, schema: unpinByQuery }, async ({ query, viewer }, reply) => {
      await commit.unpinBaseline(viewer, query)
      return reply.code(204).send(null)
    })
  }
