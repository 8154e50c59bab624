import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { SearchHits } from '../queries/search.ts'
import { ErrorBody } from './errors.ts'
import { gone } from './gone.ts'
import { SearchQuery } from './parameters.ts'
import { sendText } from './runs.ts'
import type { Services } from './services.ts'

/** Full-text search over run metadata and case content. */
export const searchRoutes =
  ({ job }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const schema = { tags: ['search'], querystring: SearchQuery, response: { 200: SearchHits, 400: ErrorBody } }
    app.get('/search', { config: { scope: 'read' }, schema }, async ({ viewer, query }, reply) => {
      const text = await job('search', viewer, query, gone(reply))
      return sendText(reply, text ?? '{"runs":[],"cases":[]}')
    })
  }
