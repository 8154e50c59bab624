import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { BASELINES, RUNS } from '../../../commands/tags.ts'
import { listAllAccess, setAccess } from '../../../queries/access/set-access.ts'
import {
  listDaysWithoutProject,
  listLatestWithoutProject,
  listSetVersions,
  newestOf,
  Overview,
  overviewOf,
} from '../../../queries/sets/overview.ts'
import { suiteStates } from '../../../runtime/suite-states.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import { OverviewQuery } from '../../requests/shared-parameters.ts'
import type { Services } from '../../services.ts'
import { suiteRankings } from './suite-rankings.ts'

const MINUTE_MS = 60_000

/** Returns what needs attention. What it says of each suite is cached for longer than the answer, and for all viewers. */
export const overviewRoutes =
  ({ reader, longReads, cache, now }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const states = suiteStates({ cache, longReads })
    const rank = suiteRankings()
    const schema = {
      tags: ['sets'],
      operationId: 'getOverview',
      summary: 'What needs attention: every suite, worst first',
      querystring: OverviewQuery,
      response: { 200: Overview, 400: ErrorBody, ...LONG_READ },
    }
    const config = {
      scope: 'read',
      cached: { tags: () => [RUNS, BASELINES], everyMs: MINUTE_MS },
    } as const
    app.get('/overview', { config, schema }, async ({ viewer, query, clientLeft }) => {
      const { project: asked, ...page } = query
      const { sets, latest, ...granted } = await reader.readAll({
        sets: listSetVersions(viewer),
        latest: listLatestWithoutProject,
        ...listAllAccess(viewer),
      })
      const projects = new Map<string, number>()
      for (const { project, suite } of sets)
        projects.set(project, (projects.get(project) ?? 0) + (suite === null ? 0 : 1))
      const isAsked = (project: string): boolean => asked === undefined || asked.includes(project)
      const seen = sets.filter(({ project }) => isAsked(project))
      const found = await states.read(viewer, seen, clientLeft)
      const without = asked === undefined ? latest : []
      const newest = newestOf(found, without)
      const days = without.length === 0 || newest === null ? [] : await reader.read(listDaysWithoutProject(newest))
      const minute = Math.floor(now() / MINUTE_MS) * MINUTE_MS
      const input = {
        projects,
        latest: without,
        days,
        access: setAccess(granted),
        ranking: rank(found, minute),
      }
      return overviewOf(input, page)
    })
  }
