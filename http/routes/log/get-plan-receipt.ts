import { findRegistration } from '../../../queries/log/receipts.ts'
import { mustExist } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { checkOwn } from './own-receipt.ts'
import { RECEIPT_ANSWERS, ReceiptQuery, sendReceipt } from './send-receipt.ts'

export const getPlanReceiptRoute: Route = (app, services) => {
  const { reader, signer } = services
  app.get(
    '/plans/:id/receipt',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['plans'],
        operationId: 'getPlanReceipt',
        summary: 'The receipt of a plan: proves that it was registered before any record with a higher index',
        params: IdPath,
        querystring: ReceiptQuery,
        response: RECEIPT_ANSWERS,
      },
    },
    async (request, reply) => {
      const { viewer, params } = request
      const found = mustExist(await findRegistration(reader, viewer, params.id), 'plan')
      const record = await checkOwn(services, viewer, found.record, { thing: 'plan', act: 'registered' })
      return sendReceipt(request, reply, signer, record, `plan-${params.id}`)
    },
  )
}
