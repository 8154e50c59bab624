import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { Refused } from '../../../commands/refused.ts'
import { findAnyRecord, findRegistration, findUpload, isRecordedBy } from '../../../queries/log/receipts.ts'
import type { OpenRecord } from '../../../queries/log/receipts.ts'
import { findStaticToken } from '../../../queries/access/static-tokens.ts'
import type { Viewer } from '../../../queries/access/viewer.ts'
import { notFound } from '../../errors.ts'
import { startOfToken } from '../../identity/static-tokens.ts'
import { checkSeesAll } from '../../identity/sees-all.ts'
import { nameParameter } from '../../requests/shared-parameters.ts'
import type { Services } from '../../services.ts'
import { RECORDS_ACCESS } from './log-access.ts'
import { RECEIPT_ANSWERS, ReceiptQuery, sendReceipt } from './send-receipt.ts'

const SEQ = /^[1-9]\d{0,14}$/

const ERASED = 'receipt not found: the record was erased'

const UPLOADED = { thing: 'run', act: 'uploaded' }
const REGISTERED = { thing: 'plan', act: 'registered' }

/** Receipts of runs, of plans and of single records. A receipt contains the body of its record, with the address of its actor. */
export const receiptRoutes =
  ({ reader, signer, config }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    /** A standby may not know yet that a token has a new secret. */
    const tokenStart = async ({ actor }: Viewer): Promise<number | null> =>
      actor.kind === 'static' && actor.credential_id !== null
        ? startOfToken(config.tokens, await (signer?.reader ?? reader).read(findStaticToken(actor.credential_id)))
        : null

    /** Refuses: forbidden, if the viewer may not read the whole body of the record; not_found, if it was erased. */
    const checkOwn = async (
      viewer: Viewer,
      record: OpenRecord | null,
      { thing, act }: typeof UPLOADED,
    ): Promise<OpenRecord> => {
      if (!viewer.sees_all) {
        if (config.proof.receipts === 'admin')
          throw new Refused('forbidden', `only an admin may have the receipt of a ${thing}`)
        if (record && !isRecordedBy(viewer, record, await tokenStart(viewer)))
          throw new Refused('forbidden', `only who ${act} this ${thing}, or an admin, may have its receipt`)
      }
      if (!record) throw new Refused('not_found', ERASED)
      return record
    }

    const ofRun = {
      tags: ['runs'],
      operationId: 'getRunReceipt',
      summary: 'The receipt of an upload: proves that the document was recorded, and when',
      params: z.object({ id: nameParameter }),
      querystring: ReceiptQuery,
      response: RECEIPT_ANSWERS,
    }
    app.get('/runs/:id/receipt', { config: { scope: 'read' }, schema: ofRun }, async (request, reply) => {
      const { viewer, params } = request
      const found = await findUpload(reader, viewer, params.id)
      if (!found) throw notFound('run')
      return sendReceipt(request, reply, signer, await checkOwn(viewer, found.record, UPLOADED), params.id)
    })

    const ofPlan = {
      ...ofRun,
      tags: ['plans'],
      operationId: 'getPlanReceipt',
      summary: 'The receipt of a plan: proves that it was registered before any record with a higher index',
    }
    app.get('/plans/:id/receipt', { config: { scope: 'read' }, schema: ofPlan }, async (request, reply) => {
      const { viewer, params } = request
      const found = await findRegistration(reader, viewer, params.id)
      if (!found) throw notFound('plan')
      const record = await checkOwn(viewer, found.record, REGISTERED)
      return sendReceipt(request, reply, signer, record, `plan-${params.id}`)
    })

    const ofRecord = {
      tags: ['log'],
      operationId: 'getRecordReceipt',
      summary: 'The receipt of any record',
      params: z.object({ seq: z.string().meta({ pattern: SEQ.source }) }),
      querystring: ReceiptQuery,
      response: RECEIPT_ANSWERS,
    }
    app.get('/log/records/:seq/receipt', { config: RECORDS_ACCESS, schema: ofRecord }, async (request, reply) => {
      const { viewer, params } = request
      checkSeesAll(viewer)
      const found = SEQ.test(params.seq) ? await reader.read(findAnyRecord(Number(params.seq))) : null
      if (!found) throw notFound('record')
      const { record } = found
      if (!record) throw new Refused('not_found', ERASED)
      return sendReceipt(request, reply, signer, record, `record-${params.seq}`)
    })
  }
