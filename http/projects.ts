import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { projectTag, RUNS } from '../commands/tags.ts'
import { listProjects, listSuites, ProjectList, SuiteList } from '../queries/sets.ts'
import { NoParameters } from './parameters.ts'
import type { Services } from './services.ts'

/** Known projects and their suites. */
export const projectRoutes =
  ({ reader }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const tags = ['projects']
    app.get('/projects', { config: { scope: 'read', cached: { tags: () => [RUNS] } }, schema: { tags, querystring: NoParameters, response: { 200: ProjectList } } }, async ({ viewer }) => reader.read(listProjects(viewer)))

    const suites = { tags, params: z.object({ project: z.string() }), querystring: NoParameters, response: { 200: SuiteList } }
    const ofProject = { scope: 'read', cached: { tags: ({ project }: { project: string }) => [projectTag(project)] } } as const
    app.get('/projects/:project/suites', { config: ofProject, schema: suites }, async ({ viewer, params }) => listSuites(reader, viewer, params.project))
  }
