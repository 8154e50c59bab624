import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
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
import { abortWhenClientLeaves } from '../../answers/client-left.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import { OverviewQuery } from '../../requests/parameters.ts'
import type { Services } from '../../services.ts'

const MINUTE_MS = 60_000

/**
 * Returns what needs attention. The answer is not cached, because it depends on the time; what it says of each suite is.
 */
export const overviewRoutes =
  ({ reader, runLongRead, cache, now }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const states = suiteStates({ cache, runLongRead })
    const schema = {
      tags: ['sets'],
      summary: 'What needs attention: every suite, worst first',
      querystring: OverviewQuery,
      response: { 200: Overview, 400: ErrorBody, ...LONG_READ },
    }
    app.get('/overview', { config: { scope: 'read' }, schema }, async ({ viewer, query }, reply) => {
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
      const found = await states.read(viewer, seen, abortWhenClientLeaves(reply))
      const without = asked === undefined ? latest : []
      const newest = newestOf(found, without)
      const days = without.length === 0 || newest === null ? [] : await reader.read(listDaysWithoutProject(newest))
      // In whole minutes, so that a client that asks again gets a 304.
      const minute = Math.floor(now() / MINUTE_MS) * MINUTE_MS
      const input = { states: found, projects, latest: without, days, access: setAccess(granted), now: minute }
      // As text, which is not checked against its schema again.
      return reply.type('application/json').send(JSON.stringify(overviewOf(input, page)) as never)
    })
  }
