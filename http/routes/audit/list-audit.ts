import { z } from 'zod'
import { EVENT_NAMES } from '../../../commands/events.ts'
import { AuditList, listAudit } from '../../../queries/audit.ts'
import { checkSeesAll } from '../../identity/sees-all.ts'
import { instant, optionalText, paged } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

/** Filters of the audit trail. */
export const auditFilters = {
  actor: optionalText.meta({ description: 'Id of an account or a credential, or the label of one.' }),
  type: z.enum(EVENT_NAMES).optional().meta({ description: 'Only events of this type.' }),
  stream: optionalText.meta({
    description: 'A stream; or, with a slash at the end, all streams that start with it: `run/`, `baseline/chat/`.',
  }),
  since: instant,
  until: instant,
}

export const listAuditRoute: Route = (app, { reader }) =>
  app.get(
    '/audit',
    {
      config: { scope: 'admin' },
      schema: {
        tags: ['audit'],
        operationId: 'listAudit',
        summary: 'The audit trail, newest first',
        querystring: z.strictObject({ ...auditFilters, ...paged(50, 200) }),
        response: { 200: AuditList },
      },
    },
    async ({ viewer, query: { limit, cursor, ...filters } }) => {
      checkSeesAll(viewer, 'the audit trail')
      return listAudit(reader, viewer, filters, { limit, cursor })
    },
  )
