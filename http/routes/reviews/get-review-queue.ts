import { ReviewQueue } from '../../../queries/reviews/queues.ts'
import { ErrorBody } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { readQueue } from './queue.ts'

export const getReviewQueueRoute: Route = (app, services) =>
  app.get(
    '/review-queues/:id',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['reviews'],
        operationId: 'getReviewQueue',
        summary: 'A review queue: its sample, its people and how far it came',
        params: IdPath,
        response: { 200: ReviewQueue, 404: ErrorBody },
      },
    },
    async ({ viewer, params: { id } }) => readQueue(services, viewer, id),
  )
