import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { setTag } from '../../../commands/tags.ts'
import { SuiteFlakiness } from '../../../queries/cases/flakiness.ts'
import { SuiteGrid } from '../../../queries/cases/grid.ts'
import { CaseTimeline, findTimeline } from '../../../queries/cases/timeline.ts'
import { answerText } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ, notFound } from '../../errors.ts'
import { FlakinessQuery, GridQuery, nameParameter, TimelineQuery } from '../../requests/shared-parameters.ts'
import type { Services } from '../../services.ts'

const SuitePath = z.object({ project: nameParameter, suite: nameParameter })

/** Returns reads over many runs of a suite. */
export const suiteRoutes =
  ({ reader, longReads }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const config = {
      scope: 'read',
      cached: { tags: (suite: { project: string; suite: string }) => [setTag(suite)] },
    } as const

    const grid = {
      tags: ['sets'],
      operationId: 'getSuiteGrid',
      summary: 'The status of each case of a suite in its newest runs',
      params: SuitePath,
      querystring: GridQuery,
      response: { 200: SuiteGrid, 400: ErrorBody, 404: ErrorBody, ...LONG_READ },
    }
    app.get(
      '/projects/:project/suites/:suite/grid',
      { config, schema: grid },
      async ({ viewer, params, query: { limit, cursor, order = 'changed', ...filters }, clientLeft }, reply) => {
        const asked = { suite: params, filters: { order, ...filters }, limit, cursor }
        const text = await longReads.grid(viewer, asked, clientLeft)
        if (text === null) throw notFound('run set')
        return answerText(reply, text)
      },
    )

    const flakiness = {
      tags: ['sets'],
      operationId: 'getSuiteFlakiness',
      summary: 'The cases of a suite that change between passing and failing',
      params: SuitePath,
      querystring: FlakinessQuery,
      response: { 200: SuiteFlakiness, 400: ErrorBody, 404: ErrorBody, ...LONG_READ },
    }
    app.get(
      '/projects/:project/suites/:suite/flakiness',
      { config, schema: flakiness },
      async ({ viewer, params, query, clientLeft }, reply) => {
        const text = await longReads.flakiness(viewer, { ...params, ...query }, clientLeft)
        if (text === null) throw notFound('run set')
        return answerText(reply, text)
      },
    )

    const timeline = {
      tags: ['cases'],
      operationId: 'getCaseTimeline',
      summary: 'A case in the runs of its suite, with what changed from run to run',
      params: SuitePath.extend({ case_key: nameParameter }),
      querystring: TimelineQuery,
      response: { 200: CaseTimeline, 400: ErrorBody, 404: ErrorBody },
    }
    app.get(
      '/projects/:project/suites/:suite/cases/:case_key/timeline',
      { config, schema: timeline },
      async ({ viewer, params, query }) => {
        const found = await findTimeline(reader, viewer, params, query)
        if (!found) throw notFound('case')
        return found
      },
    )
  }
