import { findUpload } from '../../../queries/log/receipts.ts'
import { mustExist } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { checkOwn } from './own-receipt.ts'
import { RECEIPT_ANSWERS, ReceiptQuery, sendReceipt } from './send-receipt.ts'

export const getRunReceiptRoute: Route = (app, services) => {
  const { reader, signer } = services
  app.get(
    '/runs/:id/receipt',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['runs'],
        operationId: 'getRunReceipt',
        summary: 'The receipt of an upload: proves that the document was recorded, and when',
        params: IdPath,
        querystring: ReceiptQuery,
        response: RECEIPT_ANSWERS,
      },
    },
    async (request, reply) => {
      const { viewer, params } = request
      const found = mustExist(await findUpload(reader, viewer, params.id), 'run')
      const record = await checkOwn(services, viewer, found.record, { thing: 'run', act: 'uploaded' })
      return sendReceipt(request, reply, signer, record, params.id)
    },
  )
}
