import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { runTag, setTag } from '../../../commands/tags.ts'
import type { LongReadAnswer } from '../../../queries/long-reads.ts'
import { ComparisonStatistics } from '../../../queries/statistics/comparison-statistics.ts'
import { RunStatistics } from '../../../queries/statistics/run-statistics.ts'
import { Trend } from '../../../queries/statistics/trend.ts'
import { answerText } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ, notFound } from '../../errors.ts'
import { nameParameter } from '../../requests/shared-parameters.ts'
import { ComparisonStatisticsQuery, RunStatisticsQuery, TrendQuery } from '../../requests/statistics-parameters.ts'
import type { Services } from '../../services.ts'
import { findComparable } from './comparable.ts'

const RunPath = z.object({ id: nameParameter })
const ComparePath = RunPath.extend({ other: nameParameter })
const SuitePath = z.object({ project: nameParameter, suite: nameParameter })
type SuitePath = z.infer<typeof SuitePath>

const found = (answer: LongReadAnswer | null, thing: string): LongReadAnswer => {
  if (answer === null) throw notFound(thing)
  return answer
}

/** Returns statistics of runs, of comparisons and of suites. */
export const statisticsRoutes =
  ({ reader, longReads }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const tags = ['statistics']
    const errors = { 400: ErrorBody, 404: ErrorBody, ...LONG_READ }

    const ofRun = {
      tags,
      operationId: 'getRunStatistics',
      summary: 'Statistics of a run: intervals, trials, pass@k',
      params: RunPath,
      querystring: RunStatisticsQuery,
      response: { 200: RunStatistics, ...errors, 422: ErrorBody },
    }
    const runConfig = { scope: 'read', cached: { tags: ({ id }: { id: string }) => [runTag(id)] } } as const
    app.get(
      '/runs/:id/statistics',
      { config: runConfig, schema: ofRun },
      async ({ viewer, params, query, clientLeft }, reply) => {
        await findComparable(reader, viewer, [params.id])
        const answer = await longReads.runStatistics(viewer, { run_id: params.id, ...query }, clientLeft)
        return answerText(reply, found(answer, 'run'))
      },
    )

    const ofTwo = {
      tags,
      operationId: 'getComparisonStatistics',
      summary: 'Whether a run is better than another, and what could have been seen',
      params: ComparePath,
      querystring: ComparisonStatisticsQuery,
      response: { 200: ComparisonStatistics, ...errors, 422: ErrorBody },
    }
    const compareConfig = {
      scope: 'read',
      cached: { tags: ({ id, other }: { id: string; other: string }) => [runTag(id), runTag(other)] },
    } as const
    app.get(
      '/runs/:id/compare/:other/statistics',
      { config: compareConfig, schema: ofTwo },
      async ({ viewer, params: { id, other }, query, clientLeft }, reply) => {
        await findComparable(reader, viewer, [id, other])
        const answer = await longReads.compareStatistics(viewer, { base: id, head: other, ...query }, clientLeft)
        return answerText(reply, found(answer, 'run'))
      },
    )

    const ofSuite = {
      tags,
      operationId: 'getSuiteTrend',
      summary: 'The pass rates of a suite, and where they changed',
      params: SuitePath,
      querystring: TrendQuery,
      response: { 200: Trend, ...errors },
    }
    const suiteConfig = { scope: 'read', cached: { tags: (suite: SuitePath) => [setTag(suite)] } } as const
    app.get(
      '/projects/:project/suites/:suite/trend',
      { config: suiteConfig, schema: ofSuite },
      async ({ viewer, params, query, clientLeft }, reply) => {
        const answer = await longReads.trend(viewer, { ...params, ...query }, clientLeft)
        return answerText(reply, found(answer, 'run set'))
      },
    )
  }
