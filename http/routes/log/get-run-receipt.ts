import { findEvidenceRecord, findUpload } from '../../../queries/log/receipts.ts'
import { mustExist } from '../../errors.ts'
import { IdPath, whole } from '../../requests/shared-parameters.ts'
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
        querystring: ReceiptQuery.extend({
          evidence: whole().meta({
            description: 'The number of evidence of the run: the receipt is that of the record that added it.',
          }),
        }),
        response: RECEIPT_ANSWERS,
      },
    },
    async (request, reply) => {
      const { viewer, params } = request
      const { evidence } = request.query
      const found = mustExist(
        await (evidence === undefined
          ? findUpload(reader, viewer, params.id)
          : findEvidenceRecord(reader, viewer, params.id, evidence)),
        'run',
      )
      const record = await checkOwn(services, viewer, found.record, { thing: 'run', act: 'uploaded' })
      return sendReceipt(request, reply, signer, record, params.id)
    },
  )
}
