import { z } from 'zod'
import { runTag } from '../../../commands/tags.ts'
import { ComparedGroups } from '../../../queries/statistics/compared-groups.ts'
import { answerFound } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import { PairPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { findComparable } from './comparable.ts'
import { columns } from './parameters.ts'

export const listComparedGroupsRoute: Route = (app, { reader, longReads }) =>
  app.get(
    '/runs/:id/compare/:other/groups',
    {
      config: { scope: 'read', cached: { tags: ({ id, other }: PairPath) => [runTag(id), runTag(other)] } },
      schema: {
        tags: ['statistics'],
        operationId: 'listComparedGroups',
        summary: 'The cases that two runs, or columns of runs, share, by tag or by a variable: where most were lost',
        params: PairPath,
        querystring: z.strictObject({
          by: z
            .string()
            .regex(/^(?:tag|var\..+)$/s, 'must be `tag`, or `var.` and the name of a variable')
            .default('tag')
            .meta({ description: 'What groups the cases: `tag`, or one of `fields`, such as `var.city`.' }),
          ...columns,
        }),
        response: { 200: ComparedGroups, 404: ErrorBody, ...LONG_READ, 422: ErrorBody },
      },
    },
    async ({ viewer, params: { id, other }, query, clientLeft }, reply) => {
      await findComparable(reader, viewer, [id, other])
      const asked = { base: id, head: other, ...query }
      return answerFound(reply, await longReads.comparedGroups(viewer, asked, clientLeft), 'run')
    },
  )
