import { ReviewQueue } from '../../../queries/reviews/queues.ts'
import { ErrorBody } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { readQueue, readQueueSet } from './queue.ts'

export const closeReviewQueueRoute: Route = (app, services) =>
  app.post(
    '/review-queues/:id/close',
    {
      config: { scope: 'write' },
      schema: {
        tags: ['reviews'],
        operationId: 'closeReviewQueue',
        summary: 'Close a review queue: then its labels are shown, and no more are given',
        params: IdPath,
        response: { 200: ReviewQueue, 404: ErrorBody },
      },
    },
    async ({ viewer, params: { id } }) => {
      await services.commit.closeReviewQueue(viewer, { queue_id: id, set: await readQueueSet(services, viewer, id) })
      return readQueue(services, viewer, id)
    },
  )
