import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { listProjects, listSuites, ProjectList, SuiteList } from '../queries/sets.ts'
import { NoParameters } from './parameters.ts'
import type { Services } from './services.ts'

/** Known projects and their suites. */
export const projectRoutes =
  ({ reader }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const tags = ['projects']
    const read = { scope: 'read' } as const

    app.get('/projects', { config: read, schema: { tags, querystring: NoParameters, response: { 200: ProjectList } } }, async ({ viewer }) => reader.read(listProjects(viewer)))

    const suites = { tags, params: z.object({ project: z.string() }), querystring: NoParameters, response: { 200: SuiteList } }
    app.get('/projects/:project/suites', { config: read, schema: suites }, async ({ viewer, params }) => listSuites(reader, viewer, params.project))
  }
