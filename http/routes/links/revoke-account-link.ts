import { z } from 'zod'
import { ErrorBody } from '../../errors.ts'
import { checkSeesAll } from '../../identity/sees-all.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const revokeAccountLinkRoute: Route = (app, { commit }) =>
  app.delete(
    '/links/:id',
    {
      config: { scope: 'admin' },
      schema: {
        tags: ['users'],
        operationId: 'revokeAccountLink',
        summary: 'End an invite or a password reset link that was not used',
        params: IdPath,
        response: { 204: z.null(), 404: ErrorBody },
      },
    },
    async ({ viewer, params: { id: link_id } }, reply) => {
      checkSeesAll(viewer, 'a link for an account')
      await commit.revokeLink(viewer, { link_id })
      return reply.code(204).send(null)
    },
  )
