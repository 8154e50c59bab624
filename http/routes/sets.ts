import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { projectTag, RUNS, setTag } from '../../commands/tags.ts'
import {
  findIsLong,
  findProjectSet,
  findSuiteSet,
  listProjectSets,
  ProjectSet,
  ProjectSets,
  SuiteSet,
} from '../../queries/sets/sets.ts'
import { answerText } from '../answers/cached-routes.ts'
import { ErrorBody, notFound } from '../errors.ts'
import { nameParameter, NoParameters } from '../requests/shared-parameters.ts'
import type { Services } from '../services.ts'

/** Returns run sets with their totals and sparklines. */
export const setRoutes =
  ({ reader, longReads }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const tags = ['sets']
    // Each set in a response contains the viewer's level.
    const levels = true

    const listConfig = { scope: 'read', cached: { levels, tags: () => [RUNS] } } as const
    app.get(
      '/sets',
      {
        config: listConfig,
        schema: {
          tags,
          operationId: 'listSets',
          summary: 'Projects with their suites and newest runs',
          querystring: NoParameters,
          response: { 200: ProjectSets },
        },
      },
      async ({ viewer, clientLeft }, reply) => {
        if (!(await reader.read(findIsLong(viewer, null)))) return listProjectSets(reader, viewer)
        return answerText(reply, (await longReads.projectSets(viewer, {}, clientLeft)) ?? '{"projects":[]}')
      },
    )

    const project = {
      tags,
      operationId: 'getProject',
      summary: 'A project and its suites',
      params: z.object({ project: nameParameter }),
      querystring: NoParameters,
      response: { 200: ProjectSet, 404: ErrorBody },
    }
    const projectConfig = {
      scope: 'read',
      cached: { levels, tags: ({ project }: { project: string }) => [projectTag(project)] },
    } as const
    app.get(
      '/sets/:project',
      { config: projectConfig, schema: project },
      async ({ viewer, params, clientLeft }, reply) => {
        if (await reader.read(findIsLong(viewer, params.project))) {
          const text = await longReads.projectSet(viewer, params, clientLeft)
          if (text === null) throw notFound('run set')
          return answerText(reply, text)
        }
        const found = await findProjectSet(reader, viewer, params.project)
        if (!found) throw notFound('run set')
        return found
      },
    )

    const suite = {
      tags,
      operationId: 'getSuite',
      summary: 'A suite, its baseline and its runs',
      params: z.object({ project: nameParameter, suite: nameParameter }),
      querystring: NoParameters,
      response: { 200: SuiteSet, 404: ErrorBody },
    }
    const suiteConfig = {
      scope: 'read',
      cached: { levels, tags: (suite: { project: string; suite: string }) => [setTag(suite)] },
    } as const
    app.get('/sets/:project/suites/:suite', { config: suiteConfig, schema: suite }, async ({ viewer, params }) => {
      const found = await findSuiteSet(reader, viewer, params)
      if (!found) throw notFound('run set')
      return found
    })
  }
