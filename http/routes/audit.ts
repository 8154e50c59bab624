import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { EVENT_TYPES } from '../../commands/invalidated.ts'
import { AuditList, AuditRecord, findAuditRecord, listAudit } from '../../queries/audit.ts'
import { ErrorBody, notFound } from '../errors.ts'
import { checkSeesAll } from '../identity/sees-all.ts'
import { cursor, instant, limit, NoParameters } from '../requests/parameters.ts'
import type { Services } from '../services.ts'

const SEQ = /^[1-9]\d{0,14}$/

/** Filters of the audit trail. */
const AuditQuery = z.strictObject({
  actor: z.string().optional().meta({ description: 'Id of an account or a credential, or the label of one.' }),
  type: z.enum(EVENT_TYPES).optional(),
  stream: z.string().optional().meta({
    description: 'A stream; or, with a slash at the end, all streams that start with it: `run/`, `baseline/chat/`.',
  }),
  since: instant,
  until: instant,
  limit: limit(50, 200),
  cursor,
})

/** Reads the event log. Nothing ever changes an event in it. */
export const auditRoutes =
  ({ reader }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const tags = ['audit']
    const list = { tags, querystring: AuditQuery, response: { 200: AuditList } }
    app.get(
      '/audit',
      { config: { scope: 'admin' }, schema: list },
      async ({ viewer, query: { limit: rows, cursor: from, ...filters } }) => {
        checkSeesAll(viewer, 'the audit trail')
        return listAudit(reader, viewer, filters, { limit: rows, cursor: from })
      },
    )

    const record = {
      tags,
      params: z.object({ seq: z.string().meta({ pattern: SEQ.source }) }),
      querystring: NoParameters,
      response: { 200: AuditRecord, 404: ErrorBody },
    }
    app.get('/audit/:seq', { config: { scope: 'admin' }, schema: record }, async ({ viewer, params: { seq } }) => {
      checkSeesAll(viewer, 'the audit trail')
      const found = SEQ.test(seq) ? await findAuditRecord(reader, viewer, Number(seq)) : null
      if (!found) throw notFound('event')
      return found
    })
  }
