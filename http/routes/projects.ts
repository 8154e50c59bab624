import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { projectTag, RUNS } from '../../commands/tags.ts'
import { findIsLong, listProjects, listSuites, ProjectList, SuiteList } from '../../queries/sets/sets.ts'
import { answerText } from '../answers/cached-routes.ts'
import { NoParameters } from '../requests/shared-parameters.ts'
import type { Services } from '../services.ts'

/** Lists projects and their suites. */
export const projectRoutes =
  ({ reader, longReads }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const tags = ['projects']
    const listConfig = { scope: 'read', cached: { tags: () => [RUNS] } } as const
    app.get(
      '/projects',
      {
        config: listConfig,
        schema: {
          tags,
          operationId: 'listProjects',
          summary: 'Projects with their number of runs',
          querystring: NoParameters,
          response: { 200: ProjectList },
        },
      },
      async ({ viewer, clientLeft }, reply) => {
        if (!(await reader.read(findIsLong(viewer, null)))) return reader.read(listProjects(viewer))
        return answerText(reply, (await longReads.projects(viewer, {}, clientLeft)) ?? '{"projects":[]}')
      },
    )

    const suites = {
      tags,
      operationId: 'listSuites',
      summary: 'Suites of a project with their number of runs',
      params: z.object({ project: z.string() }),
      querystring: NoParameters,
      response: { 200: SuiteList },
    }
    const suitesConfig = {
      scope: 'read',
      cached: { tags: ({ project }: { project: string }) => [projectTag(project)] },
    } as const
    app.get(
      '/projects/:project/suites',
      { config: suitesConfig, schema: suites },
      async ({ viewer, params, clientLeft }, reply) => {
        if (!(await reader.read(findIsLong(viewer, params.project)))) return listSuites(reader, viewer, params.project)
        return answerText(
          reply,
          (await longReads.suites(viewer, params, clientLeft)) ??
            JSON.stringify({ project: params.project, suites: [] }),
        )
      },
    )
  }
