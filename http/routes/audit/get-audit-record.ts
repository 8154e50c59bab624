import { z } from 'zod'
import { AuditRecord, findAuditRecord } from '../../../queries/audit.ts'
import { ErrorBody, mustExist } from '../../errors.ts'
import { checkSeesAll } from '../../identity/sees-all.ts'
import type { Route } from '../route.ts'

const SEQ = /^[1-9]\d{0,14}$/

export const getAuditRecordRoute: Route = (app, { reader }) =>
  app.get(
    '/audit/:seq',
    {
      config: { scope: 'admin' },
      schema: {
        tags: ['audit'],
        operationId: 'getAuditRecord',
        summary: 'A record of the audit trail',
        params: z.object({ seq: z.string().meta({ pattern: SEQ.source }) }),
        response: { 200: AuditRecord, 404: ErrorBody },
      },
    },
    async ({ viewer, params: { seq } }) => {
      checkSeesAll(viewer, 'the audit trail')
      return mustExist(SEQ.test(seq) ? await findAuditRecord(reader, viewer, Number(seq)) : null, 'event')
    },
  )
