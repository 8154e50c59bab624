import { RUNS } from '../../../commands/tags.ts'
import { findIsLong, listProjectSets, ProjectSets } from '../../../queries/sets/sets.ts'
import { answerText } from '../../answers/cached-routes.ts'
import type { Route } from '../route.ts'

export const listSetsRoute: Route = (app, { reader, longReads }) =>
  app.get(
    '/sets',
    {
      config: { scope: 'read', cached: { levels: true, tags: () => [RUNS] } },
      schema: {
        tags: ['sets'],
        operationId: 'listSets',
        summary: 'Projects with their suites and newest runs',
        response: { 200: ProjectSets },
      },
    },
    async ({ viewer, clientLeft }, reply) => {
      if (!(await reader.read(findIsLong(viewer, null)))) return listProjectSets(reader, viewer)
      return answerText(reply, (await longReads.projectSets(viewer, {}, clientLeft)) ?? '{"projects":[]}')
    },
  )
