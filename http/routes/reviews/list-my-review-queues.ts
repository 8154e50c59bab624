import { reviewerOf } from '../../../commands/review/refuse-item.ts'
import { MyQueues } from '../../../queries/reviews/my-items.ts'
import { sendFound } from '../../answers/cached-routes.ts'
import { LONG_READ } from '../../errors.ts'
import type { Route } from '../route.ts'

export const listMyQueuesRoute: Route = (app, { longReads }) =>
  app.get(
    '/review/queues',
    {
      config: { scope: 'review' },
      schema: {
        tags: ['reviews'],
        operationId: 'listMyReviewQueues',
        summary: 'The review queues in which you are listed, the newest first',
        response: { 200: MyQueues, ...LONG_READ },
      },
    },
    async ({ viewer, clientLeft }, reply) => {
      const user_id = reviewerOf(viewer)
      return sendFound(reply, await longReads.myReviewQueues(viewer, { user_id }, clientLeft), 'review queue')
    },
  )
