import { RUNS } from '../../../commands/tags.ts'
import { findIsLong, listProjects, ProjectList } from '../../../queries/sets/sets.ts'
import { answerText } from '../../answers/cached-routes.ts'
import type { Route } from '../route.ts'

export const listProjectsRoute: Route = (app, { reader, longReads }) =>
  app.get(
    '/projects',
    {
      config: { scope: 'read', cached: { tags: () => [RUNS] } },
      schema: {
        tags: ['projects'],
        operationId: 'listProjects',
        summary: 'Projects with their number of runs',
        response: { 200: ProjectList },
      },
    },
    async ({ viewer, clientLeft }, reply) => {
      if (!(await reader.read(findIsLong(viewer, null)))) return reader.read(listProjects(viewer))
      return answerText(reply, (await longReads.projects(viewer, {}, clientLeft)) ?? '{"projects":[]}')
    },
  )
