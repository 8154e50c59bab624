import { reviewerOf } from '../../../commands/review/refuse-item.ts'
import { Refused } from '../../../commands/refused.ts'
import { findLabelRecord } from '../../../queries/log/receipts.ts'
import { mustExist } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { RECEIPT_ANSWERS, ReceiptQuery, sendReceipt } from './send-receipt.ts'

export const getLabelReceiptRoute: Route = (app, { reader, signer }) => {
  app.get(
    '/review/labels/:id/receipt',
    {
      config: { scope: 'review' },
      schema: {
        tags: ['reviews'],
        operationId: 'getLabelReceipt',
        summary: 'The receipt of an own label, once its queue is closed: it names the document that the case is in',
        params: IdPath,
        querystring: ReceiptQuery,
        response: RECEIPT_ANSWERS,
      },
    },
    async (request, reply) => {
      const { viewer, params } = request
      const found = mustExist(await findLabelRecord(reader, reviewerOf(viewer), params.id), 'label')
      if (!found.isClosed) throw new Refused('conflict', 'still open')
      return sendReceipt(request, reply, signer, mustExist(found.record, 'label'), `label-${params.id}`)
    },
  )
}
