import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { RUNS } from '../../commands/tags.ts'
import { CaseSearch } from '../../queries/search/case-search.ts'
import { RunSearch } from '../../queries/search/run-search.ts'
import { SearchHits } from '../../queries/search/search.ts'
import { answerText } from '../answers/cached-routes.ts'
import { ErrorBody, LONG_READ } from '../errors.ts'
import { CaseSearchQuery, RunSearchQuery, SearchQuery } from '../requests/shared-parameters.ts'
import type { Services } from '../services.ts'

/** Searches run metadata and case content by full text. */
export const searchRoutes =
  ({ longReads }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const schema = {
      tags: ['search'],
      operationId: 'search',
      summary: 'Runs and cases that contain all words',
      querystring: SearchQuery,
      response: { 200: SearchHits, 400: ErrorBody, ...LONG_READ },
    }
    app.get(
      '/search',
      { config: { scope: 'read', cached: { tags: () => [RUNS] } }, schema },
      async ({ viewer, query, clientLeft }, reply) => {
        const text = await longReads.search(viewer, query, clientLeft)
        return answerText(reply, text ?? '{"runs":[],"cases":[]}')
      },
    )

    const cases = {
      tags: ['search'],
      operationId: 'searchCases',
      summary: 'Cases that contain all words, one entry for each test',
      querystring: CaseSearchQuery,
      response: { 200: CaseSearch, 400: ErrorBody, ...LONG_READ },
    }
    app.get(
      '/search/cases',
      { config: { scope: 'read', cached: { tags: () => [RUNS] } }, schema: cases },
      async ({ viewer, query, clientLeft }, reply) =>
        answerText(reply, (await longReads.searchCases(viewer, query, clientLeft)) ?? ''),
    )

    const runs = {
      tags: ['search'],
      operationId: 'searchRuns',
      summary: 'Runs that contain all words, with pages',
      querystring: RunSearchQuery,
      response: { 200: RunSearch, 400: ErrorBody, ...LONG_READ },
    }
    app.get(
      '/search/runs',
      { config: { scope: 'read', cached: { tags: () => [RUNS] } }, schema: runs },
      async ({ viewer, query, clientLeft }, reply) =>
        answerText(reply, (await longReads.searchRuns(viewer, query, clientLeft)) ?? ''),
    )
  }
