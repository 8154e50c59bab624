import { z } from 'zod'
import { ErrorBody } from '../../errors.ts'
import { IdPath, NAME, nameParameter } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const deleteCommentRoute: Route = (app, { commit, config }) =>
  app.delete(
    '/runs/:id/comments/:comment_id',
    {
      config: { scope: 'write' },
      schema: {
        tags: ['runs'],
        operationId: 'deleteComment',
        summary: 'Delete a comment: its author or an admin',
        params: IdPath.extend({ comment_id: nameParameter.meta({ ...NAME, description: 'The `id` of the comment.' }) }),
        response: { 204: z.null(), 404: ErrorBody, 409: ErrorBody },
      },
    },
    async ({ viewer, params: { id, comment_id } }, reply) => {
      await commit.deleteComment(viewer, { run_id: id, comment_id, isOpen: config.authMode === 'open' })
      return reply.code(204).send(null)
    },
  )
