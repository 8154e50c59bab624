import { z } from 'zod'
import { DECLINE_REASONS } from '../../../domain/review/final.ts'
import { ErrorBody } from '../../errors.ts'
import type { Route } from '../route.ts'
import { ItemPath } from './get-review-item.ts'
import { itemOf } from './queue.ts'

export const declineItemRoute: Route = (app, { commit }) =>
  app.post(
    '/review/items/:item/decline',
    {
      config: { scope: 'review', body: 'fields' },
      schema: {
        tags: ['reviews'],
        operationId: 'declineItem',
        summary: 'Decline an item: it goes to another person, and never back',
        params: ItemPath,
        body: z.strictObject({ reason: z.enum(DECLINE_REASONS) }),
        response: { 204: z.null(), 404: ErrorBody, 409: ErrorBody, 422: ErrorBody },
      },
    },
    async ({ viewer, params: { item }, body }, reply) => {
      await commit.declineItem(viewer, { ...itemOf(viewer, item), ...body })
      return reply.code(204).send(null)
    },
  )
