import { abortWhenClientLeaves } from '../../answers/client-left.ts'
import { byteOrderMark, csvContent, sendCsv } from '../../answers/csv.ts'
import { LONG_READ } from '../../errors.ts'
import type { Route } from '../route.ts'
import { RunFilters } from './list-runs.ts'

export const exportRunsCsvRoute: Route = (app, { longReads }) =>
  app.get(
    '/runs.csv',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['runs'],
        operationId: 'exportRunsCsv',
        summary: 'The filtered list of runs as CSV (RFC 4180)',
        querystring: RunFilters.extend({ bom: byteOrderMark('') }),
        response: { 200: csvContent, ...LONG_READ },
      },
    },
    async ({ method, viewer, query }, reply) => {
      const { sort, order, bom = false, ...filters } = query
      return sendCsv(
        method,
        reply,
        'runs',
        await longReads.runsCsv(viewer, { filters, order: { sort, order } }, abortWhenClientLeaves(reply)),
        bom,
      )
    },
  )
