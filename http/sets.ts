import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { findProjectSet, findSuiteSet, listProjectSets, ProjectSet, ProjectSets, SuiteSet } from '../queries/sets.ts'
import { ErrorBody, notFound } from './errors.ts'
import { NoParameters } from './parameters.ts'
import type { Services } from './services.ts'

/** Run sets with their totals and sparklines. */
export const setRoutes =
  ({ reader }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const tags = ['sets']
    const read = { scope: 'read' } as const

    app.get('/sets', { config: read, schema: { tags, querystring: NoParameters, response: { 200: ProjectSets } } }, async ({ viewer }) => listProjectSets(reader, viewer))

    const project = { tags, params: z.object({ project: z.string() }), querystring: NoParameters, response: { 200: ProjectSet, 404: ErrorBody } }
    app.get('/sets/:project', { config: read, schema: project }, async ({ viewer, params }) => {
      const found = await findProjectSet(reader, viewer, params.project)
      if (!found) throw notFound('run set')
      return found
    })

    const suite = { tags, params: z.object({ project: z.string(), suite: z.string() }), querystring: NoParameters, response: { 200: SuiteSet, 404: ErrorBody } }
    app.get('/sets/:project/suites/:suite', { config: read, schema: suite }, async ({ viewer, params }) => {
      const found = await findSuiteSet(reader, viewer, params)
      if (!found) throw notFound('run set')
      return found
    })
  }
