import { z } from 'zod'
import { reviewerOf } from '../../../commands/review/refuse-item.ts'
import { WITHDRAW_REASONS } from '../../../domain/review/final.ts'
import { findOwnLabel } from '../../../queries/reviews/queue-state.ts'
import { ErrorBody, mustExist } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

export const withdrawLabelRoute: Route = (app, { reader, commit }) =>
  app.post(
    '/review/labels/:id/withdraw',
    {
      config: { scope: 'review', body: 'fields' },
      schema: {
        tags: ['reviews'],
        operationId: 'withdrawLabel',
        summary: 'Withdraw an own label while its queue is open: it stops counting, and stays in exports',
        params: IdPath,
        body: z.strictObject({ reason: z.enum(WITHDRAW_REASONS) }),
        response: { 204: z.null(), 404: ErrorBody, 409: ErrorBody, 422: ErrorBody },
      },
    },
    async ({ viewer, params: { id }, body: { reason } }, reply) => {
      const place = mustExist(await reader.read(findOwnLabel(reviewerOf(viewer), id)), 'label')
      await commit.withdrawLabel(viewer, { label_id: id, ...place, reason })
      return reply.code(204).send(null)
    },
  )
