import { abortWhenClientLeaves } from '../../answers/client-left.ts'
import { byteOrderMark, csvContent, sendCsv } from '../../answers/csv.ts'
import { ErrorBody, LONG_READ, mustExist } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { caseOrder, DistributionFilters } from './case-lists.ts'

export const exportCasesCsvRoute: Route = (app, { longReads }) =>
  app.get(
    '/runs/:id/cases.csv',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['cases'],
        operationId: 'exportCasesCsv',
        summary: 'The filtered cases of a run as CSV (RFC 4180)',
        params: IdPath,
        querystring: DistributionFilters.extend({ ...caseOrder, bom: byteOrderMark('') }),
        response: { 200: csvContent, 404: ErrorBody, ...LONG_READ },
      },
    },
    async ({ method, viewer, params, query }, reply) => {
      const { sort, order, bom = false, ...filters } = query
      const asked = { run_id: params.id, filters, order: { sort, order } }
      const found = mustExist(await longReads.casesCsv(viewer, asked, abortWhenClientLeaves(reply)), 'run')
      return sendCsv(method, reply, `${params.id}-cases`, found, bom)
    },
  )
