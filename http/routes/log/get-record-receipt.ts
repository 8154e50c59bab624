import { z } from 'zod'
import { Refused } from '../../../commands/refused.ts'
import { findAnyRecord } from '../../../queries/log/receipts.ts'
import { mustExist } from '../../errors.ts'
import { checkSeesAll } from '../../identity/sees-all.ts'
import type { Route } from '../route.ts'
import { RECORDS_ACCESS } from './log-access.ts'
import { ERASED } from './own-receipt.ts'
import { RECEIPT_ANSWERS, ReceiptQuery, sendReceipt } from './send-receipt.ts'

const SEQ = /^[1-9]\d{0,14}$/

export const getRecordReceiptRoute: Route = (app, { reader, signer }) =>
  app.get(
    '/log/records/:seq/receipt',
    {
      config: RECORDS_ACCESS,
      schema: {
        tags: ['log'],
        operationId: 'getRecordReceipt',
        summary: 'The receipt of any record',
        params: z.object({ seq: z.string().meta({ pattern: SEQ.source }) }),
        querystring: ReceiptQuery,
        response: RECEIPT_ANSWERS,
      },
    },
    async (request, reply) => {
      const { viewer, params } = request
      checkSeesAll(viewer)
      const found = mustExist(
        SEQ.test(params.seq) ? await reader.read(findAnyRecord(Number(params.seq))) : null,
        'record',
      )
      const { record } = found
      if (!record) throw new Refused('not_found', ERASED)
      return sendReceipt(request, reply, signer, record, `record-${params.seq}`)
    },
  )
