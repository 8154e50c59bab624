import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { runTag } from '../../../commands/tags.ts'
import { ManyRuns } from '../../../queries/statistics/many-runs.ts'
import { TestOutputs } from '../../../queries/statistics/outputs.ts'
import { answerText } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ, notFound } from '../../errors.ts'
import { nameParameter } from '../../requests/shared-parameters.ts'
import { CompareManyQuery, CompareOutputsQuery, TestOutputsQuery } from '../../requests/statistics-parameters.ts'
import type { Services } from '../../services.ts'
import { findComparable, findRuns } from './comparable.ts'

const TestPath = z.object({ id: nameParameter, test_id: nameParameter })
type Runs = { readonly runs: readonly string[] }

/**
 * Compares several runs, and shows the outputs of one test side by side. The function is long because it lists every
 * route.
 */
export const comparingRoutes =
  ({ reader, longReads }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const tags = ['statistics']
    const errors = { 400: ErrorBody, 404: ErrorBody, ...LONG_READ }
    const ofRuns = { scope: 'read', cached: { tags: (_: object, { runs }: Runs) => runs.map(runTag) } } as const

    const many = {
      tags,
      operationId: 'compareManyRuns',
      summary: 'Several runs against one base, and their cases row by row',
      querystring: CompareManyQuery,
      response: { 200: ManyRuns, ...errors, 422: ErrorBody },
    }
    app.get('/compare', { config: ofRuns, schema: many }, async ({ viewer, query, clientLeft }, reply) => {
      await findComparable(reader, viewer, query.runs)
      const asked = { ...query, base: query.base ?? query.runs[0] ?? '' }
      const answer = await longReads.compareMany(viewer, asked, clientLeft)
      if (answer === null) throw notFound('run')
      return answerText(reply, answer)
    })

    const outputs = {
      tags,
      operationId: 'compareOutputs',
      summary: 'The outputs of one test in several runs, side by side',
      querystring: CompareOutputsQuery,
      response: { 200: TestOutputs, ...errors },
    }
    app.get('/compare/outputs', { config: ofRuns, schema: outputs }, async ({ viewer, query, clientLeft }, reply) => {
      const { runs, test, against } = query
      await findRuns(reader, viewer, runs)
      const asked = { runs, test_id: test, against_run: against ?? runs[0] }
      const answer = await longReads.testOutputs(viewer, asked, clientLeft)
      if (answer === null) throw notFound('test')
      return answerText(reply, answer)
    })

    const test = {
      tags,
      operationId: 'getTestOutputs',
      summary: 'The outputs of one test in all columns of a run, side by side',
      params: TestPath,
      querystring: TestOutputsQuery,
      response: { 200: TestOutputs, ...errors },
    }
    const testConfig = { scope: 'read', cached: { tags: ({ id }: { id: string }) => [runTag(id)] } } as const
    app.get(
      '/runs/:id/tests/:test_id',
      { config: testConfig, schema: test },
      async ({ viewer, params: { id, test_id }, query, clientLeft }, reply) => {
        await findRuns(reader, viewer, [id])
        const answer = await longReads.testOutputs(viewer, { runs: [id], test_id, ...query }, clientLeft)
        if (answer === null) throw notFound('test')
        return answerText(reply, answer)
      },
    )
  }
