import { z } from 'zod'
import { QUEUE_STATES, ReviewQueueList } from '../../../queries/reviews/queues.ts'
import { sendFound } from '../../answers/cached-routes.ts'
import { LONG_READ } from '../../errors.ts'
import { optionalText, paged } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const listReviewQueuesRoute: Route = (app, { longReads }) =>
  app.get(
    '/review-queues',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['reviews'],
        operationId: 'listReviewQueues',
        summary: 'Review queues, the newest first',
        querystring: z.strictObject({
          project: optionalText,
          suite: optionalText,
          state: z.enum(QUEUE_STATES).optional().meta({ description: 'Only open queues, or only closed ones.' }),
          ...paged(50, 200),
        }),
        response: { 200: ReviewQueueList, ...LONG_READ },
      },
    },
    async ({ viewer, query: { limit, cursor, ...filters }, clientLeft }, reply) =>
      sendFound(
        reply,
        await longReads.reviewQueues(viewer, { filters, page: { limit, cursor } }, clientLeft),
        'review queue',
      ),
  )
