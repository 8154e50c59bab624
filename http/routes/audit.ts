import { Readable } from 'node:stream'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { EVENT_NAMES } from '../../commands/events.ts'
import { AuditList, AuditRecord, exportAudit, findAuditRecord, listAudit } from '../../queries/audit.ts'
import { isStillAllowed } from '../../queries/access/current-access.ts'
import { bytesHeldBy, EXPORT_BYTES } from '../answers/outgoing-bytes.ts'
import { ErrorBody, notFound } from '../errors.ts'
import { checkSeesAll } from '../identity/sees-all.ts'
import { cursor, flag, instant, limit, NoParameters } from '../requests/shared-parameters.ts'
import type { Services } from '../services.ts'

const SEQ = /^[1-9]\d{0,14}$/

const JSON_LINES = 'application/x-ndjson'

const filters = {
  actor: z.string().optional().meta({ description: 'Id of an account or a credential, or the label of one.' }),
  type: z.enum(EVENT_NAMES).optional().meta({ description: 'Only events of this type.' }),
  stream: z.string().optional().meta({
    description: 'A stream; or, with a slash at the end, all streams that start with it: `run/`, `baseline/chat/`.',
  }),
  since: instant,
  until: instant,
}

/** Filters of the audit trail. */
const AuditQuery = z.strictObject({ ...filters, limit: limit(50, 200), cursor })
const AuditExportQuery = z.strictObject({
  ...filters,
  full: flag.meta({ description: 'Whether each line also has the salt, body, commitment and leaf of its record.' }),
})

/** Reads the event log. Nothing ever changes an event in it. */
export const auditRoutes =
  ({ reader }: Services): FastifyPluginAsyncZod =>
  async (app) => {
    const tags = ['audit']
    const list = {
      tags,
      operationId: 'listAudit',
      summary: 'The audit trail, newest first',
      querystring: AuditQuery,
      response: { 200: AuditList },
    }
    app.get(
      '/audit',
      { config: { scope: 'admin' }, schema: list },
      async ({ viewer, query: { limit: rows, cursor: from, ...filters } }) => {
        checkSeesAll(viewer, 'the audit trail')
        return listAudit(reader, viewer, filters, { limit: rows, cursor: from })
      },
    )

    const exported = {
      tags,
      operationId: 'exportAudit',
      summary: 'The audit trail as JSON lines, newest first',
      querystring: AuditExportQuery,
      response: {
        200: { description: 'One event a line.', content: { [JSON_LINES]: { schema: z.unknown() } } },
        400: ErrorBody,
        403: ErrorBody,
        503: ErrorBody,
      },
    }
    app.get(
      '/audit/export',
      { config: { scope: 'admin' }, schema: exported },
      async ({ method, viewer, query: { full = false, ...filters } }, reply) => {
        checkSeesAll(viewer, 'the audit trail')
        void reply.type(JSON_LINES).header('content-disposition', 'attachment; filename="audit.jsonl"')
        // For HEAD no event is read.
        if (method === 'HEAD') return reply.send(Readable.from([]))
        const lines = exportAudit(reader, viewer, filters, {
          full,
          mayContinue: () => isStillAllowed(reader, viewer),
        })
        return reply.send(bytesHeldBy(Readable.from(lines, { objectMode: false }), EXPORT_BYTES))
      },
    )

    const record = {
      tags,
      operationId: 'getAuditRecord',
      summary: 'A record of the audit trail',
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
