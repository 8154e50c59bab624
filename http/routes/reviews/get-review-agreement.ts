import { Refused } from '../../../commands/refused.ts'
import { ReviewAgreement } from '../../../queries/reviews/agreement.ts'
import { sendFound } from '../../answers/cached-routes.ts'
import { ErrorBody, LONG_READ } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { readQueue } from './queue.ts'

export const getReviewAgreementRoute: Route = (app, services) =>
  app.get(
    '/review-queues/:id/agreement',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['reviews'],
        operationId: 'getReviewAgreement',
        summary: 'How far the people of a closed review queue agree',
        params: IdPath,
        response: { 200: ReviewAgreement, 404: ErrorBody, 409: ErrorBody, ...LONG_READ },
      },
    },
    async ({ viewer, params: { id }, clientLeft }, reply) => {
      const { closed_at } = await readQueue(services, viewer, id)
      if (closed_at === null) throw new Refused('conflict', 'still open')
      return sendFound(
        reply,
        await services.longReads.reviewAgreement(viewer, { queue_id: id }, clientLeft),
        'review queue',
      )
    },
  )
