import { Readable } from 'node:stream'
import { z } from 'zod'
import { isStillAllowed } from '../../../queries/access/current-access.ts'
import { exportAudit } from '../../../queries/audit.ts'
import { bytesHeldBy, EXPORT_BYTES } from '../../answers/outgoing-bytes.ts'
import { ErrorBody } from '../../errors.ts'
import { checkSeesAll } from '../../identity/sees-all.ts'
import { flag } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { auditFilters } from './list-audit.ts'

const JSON_LINES = 'application/x-ndjson'

export const exportAuditRoute: Route = (app, { reader }) =>
  app.get(
    '/audit/export',
    {
      config: { scope: 'admin' },
      schema: {
        tags: ['audit'],
        operationId: 'exportAudit',
        summary: 'The audit trail as JSON lines, newest first',
        querystring: z.strictObject({
          ...auditFilters,
          full: flag.meta({
            description: 'Whether each line also has the salt, body, commitment and leaf of its record.',
          }),
        }),
        response: {
          200: { description: 'Each line is one event.', content: { [JSON_LINES]: { schema: z.unknown() } } },
          503: ErrorBody,
        },
      },
    },
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
