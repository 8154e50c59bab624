import { RUNS } from '../../../commands/tags.ts'
import { readRunFacets, RunFacets } from '../../../queries/runs/run-facets.ts'
import type { Route } from '../route.ts'

export const listRunFacetsRoute: Route = (app, { reader }) =>
  app.get(
    '/run-facets',
    {
      config: { scope: 'read', cached: { tags: () => [RUNS] } },
      schema: {
        tags: ['runs'],
        operationId: 'listRunFacets',
        summary: 'Projects, suites and providers by which the list of runs can be filtered, with their number of runs',
        response: { 200: RunFacets },
      },
    },
    async ({ viewer }) => readRunFacets(reader, viewer),
  )
