import { z } from 'zod'
import { runTag } from '../../../commands/tags.ts'
import { ManyRuns, parseRowFilter } from '../../../queries/statistics/many-runs.ts'
import { answerFound } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import { fallbackOf, paged } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { findComparable } from './comparable.ts'
import { BASE, parsedBy, runs, type Runs } from './parameters.ts'

const rowFilter = z
  .string()
  .default('differ')
  .transform(
    parsedBy(parseRowFilter, 'must be `differ`, `all`, `all_passed`, `all_failed`, `worse:RUN` or `better:RUN`'),
  )
  .meta({
    description: 'Which rows: `differ`, `all`, `all_passed`, `all_failed`, `worse:RUN` or `better:RUN`.',
    type: 'string',
    pattern: String.raw`^(differ|all|all_passed|all_failed|(worse|better):[\s\S]+)$`,
    ...fallbackOf('differ'),
  })

const CompareManyQuery = z
  .strictObject({
    runs,
    base: z.string().optional().meta({ description: BASE }),
    filter: rowFilter,
    ...paged(100, 500),
  })
  .check(({ value, issues }) => {
    const { runs: ids, base, filter } = value
    const wrong = (path: string): void =>
      void issues.push({ code: 'custom', input: value, path: [path], message: 'must name one of the runs' })
    if (base !== undefined && !ids.includes(base)) wrong('base')
    if ('run' in filter && !ids.includes(filter.run)) wrong('filter')
  })

export const compareManyRunsRoute: Route = (app, { reader, longReads }) =>
  app.get(
    '/compare',
    {
      config: { scope: 'read', cached: { tags: (_: object, { runs }: Runs) => runs.map(runTag) } },
      schema: {
        tags: ['statistics'],
        operationId: 'compareManyRuns',
        summary: 'Several runs against one base, and their cases row by row',
        querystring: CompareManyQuery,
        response: { 200: ManyRuns, 404: ErrorBody, ...LONG_READ, 422: ErrorBody },
      },
    },
    async ({ viewer, query, clientLeft }, reply) => {
      await findComparable(reader, viewer, query.runs)
      const asked = { ...query, base: query.base ?? query.runs[0] ?? '' }
      return answerFound(reply, await longReads.compareMany(viewer, asked, clientLeft), 'run')
    },
  )
