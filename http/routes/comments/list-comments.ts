import { z } from 'zod'
import { CommentList, listComments } from '../../../queries/runs/comments.ts'
import { findRun } from '../../../queries/runs/run.ts'
import { ErrorBody, mustExist } from '../../errors.ts'
import { IdPath, paged } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const listCommentsRoute: Route = (app, { reader, config }) =>
  app.get(
    '/runs/:id/comments',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['runs'],
        operationId: 'listComments',
        summary: 'Comments on a run and its cases, the newest first',
        params: IdPath,
        querystring: z.strictObject({
          case: z.string().optional().meta({ description: 'Only the comments on the case with this key.' }),
          ...paged(20, 50),
        }),
        response: { 200: CommentList, 404: ErrorBody },
      },
    },
    async ({ viewer, params: { id }, query: { case: case_key, ...page } }) => {
      const run = mustExist(await reader.read(findRun(viewer, id)), 'run')
      return listComments(reader, viewer, run, { case_key, isOpen: config.authMode === 'open', ...page })
    },
  )
