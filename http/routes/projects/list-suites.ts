import { z } from 'zod'
import { projectTag } from '../../../commands/tags.ts'
import { findIsLong, listSuites, SuiteList } from '../../../queries/sets/sets.ts'
import { answerText } from '../../answers/cached-routes.ts'
import type { Route } from '../route.ts'

export const listSuitesRoute: Route = (app, { reader, longReads }) =>
  app.get(
    '/projects/:project/suites',
    {
      config: { scope: 'read', cached: { tags: ({ project }: { project: string }) => [projectTag(project)] } },
      schema: {
        tags: ['projects'],
        operationId: 'listSuites',
        summary: 'Suites of a project with their number of runs',
        params: z.object({ project: z.string() }),
        response: { 200: SuiteList },
      },
    },
    async ({ viewer, params: { project }, clientLeft }, reply) => {
      if (!(await reader.read(findIsLong(viewer, project)))) return listSuites(reader, viewer, project)
      const text = await longReads.suites(viewer, { project }, clientLeft)
      return answerText(reply, text ?? JSON.stringify({ project, suites: [] }))
    },
  )
