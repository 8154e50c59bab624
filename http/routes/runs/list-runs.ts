import { z } from 'zod'
import { PRINCIPALS, projectTag, RUNS, setTag, type Tag } from '../../../commands/tags.ts'
import { listRuns, RunList } from '../../../queries/runs/run-list.ts'
import { isNewestFirst, RUN_SORTS } from '../../../queries/runs/sorted-runs.ts'
import { answerText } from '../../answers/cached-routes.ts'
import { LONG_READ } from '../../errors.ts'
import { cachedRuns, instant, optionalText, paged, sorted } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

/**
 * What a list of runs depends on: its suite, its project, or all runs. It also depends on `PRINCIPALS`, since each row
 * shows who uploaded the run.
 */
const tagsOfList = (_: object, { project, suite }: { readonly project?: string; readonly suite?: string }): Tag[] => [
  PRINCIPALS,
  project === undefined ? RUNS : suite === undefined ? projectTag(project) : setTag({ project, suite }),
]

/** Filters and order of a list of runs. */
export const RunFilters = z.strictObject({
  project: optionalText,
  suite: optionalText,
  tag: optionalText,
  provider: optionalText.meta({ description: 'Runs with a case of this provider' }),
  branch: optionalText,
  status: z.enum(['pass', 'fail', 'error']).optional(),
  since: instant,
  until: instant,
  cached: cachedRuns,
  origin: z.enum(['ci', 'local']).optional(),
  actor: optionalText,
  ...sorted(RUN_SORTS, 'desc'),
})

export const listRunsRoute: Route = (app, { reader, longReads }) =>
  app.get(
    '/runs',
    {
      config: { scope: 'read', cached: { tags: tagsOfList } },
      schema: {
        tags: ['runs'],
        operationId: 'listRuns',
        summary: 'List runs, newest first unless another order is given',
        querystring: RunFilters.extend(paged(50, 200)),
        response: { 200: RunList, ...LONG_READ },
      },
    },
    async ({ viewer, query, clientLeft }, reply) => {
      const { limit, cursor, sort, order, ...filters } = query
      if (isNewestFirst({ sort, order }))
        return answerText(reply, await listRuns(reader, viewer, filters, { limit, cursor }))
      const asked = { filters, order: { sort, order }, limit, cursor }
      return answerText(reply, (await longReads.sortedRuns(viewer, asked, clientLeft)) ?? '')
    },
  )
