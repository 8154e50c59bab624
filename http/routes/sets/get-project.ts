import { z } from 'zod'
import { projectTag } from '../../../commands/tags.ts'
import { findIsLong, findProjectSet, ProjectSet } from '../../../queries/sets/sets.ts'
import { answerFound } from '../../answers/cached-routes.ts'
import { ErrorBody, mustExist } from '../../errors.ts'
import { nameParameter } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const getProjectRoute: Route = (app, { reader, longReads }) =>
  app.get(
    '/sets/:project',
    {
      config: {
        scope: 'read',
        cached: { levels: true, tags: ({ project }: { project: string }) => [projectTag(project)] },
      },
      schema: {
        tags: ['sets'],
        operationId: 'getProject',
        summary: 'A project and its suites',
        params: z.object({ project: nameParameter }),
        response: { 200: ProjectSet, 404: ErrorBody },
      },
    },
    async ({ viewer, params, clientLeft }, reply) => {
      if (await reader.read(findIsLong(viewer, params.project))) {
        return answerFound(reply, await longReads.projectSet(viewer, params, clientLeft), 'run set')
      }
      return mustExist(await findProjectSet(reader, viewer, params.project), 'run set')
    },
  )
