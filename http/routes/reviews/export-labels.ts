import { z } from 'zod'
import { Refused } from '../../../commands/refused.ts'
import { EXPORT_FORMATS } from '../../../domain/report/export-formats.ts'
import { LABEL_FORMATS } from '../../../queries/reviews/label-rows.ts'
import { attachment } from '../../answers/csv.ts'
import { ErrorBody, LONG_READ, mustExist } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { readQueue } from './queue.ts'

const content = {
  description: 'The labels in the format. `Content-Disposition` has a name for the file.',
  content: Object.fromEntries(
    LABEL_FORMATS.map((name) => [EXPORT_FORMATS[name].contentType.replace(/;.*/, ''), { schema: z.unknown() }]),
  ),
}

export const exportLabelsRoute: Route = (app, services) =>
  app.get(
    '/review-queues/:id/export/:format',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['reviews'],
        operationId: 'exportLabels',
        summary: 'The labels of a closed review queue, a row a label; replaced and withdrawn ones too',
        params: IdPath.extend({
          format: z.enum(LABEL_FORMATS).meta({
            description: LABEL_FORMATS.map((name) => `\`${name}\`: ${EXPORT_FORMATS[name].label}`).join('; '),
          }),
        }),
        response: { 200: content, 404: ErrorBody, 409: ErrorBody, ...LONG_READ },
      },
    },
    async ({ viewer, params: { id, format }, clientLeft }, reply) => {
      const { closed_at } = await readQueue(services, viewer, id)
      if (closed_at === null) throw new Refused('conflict', 'still open')
      const { contentType, ending } = EXPORT_FORMATS[format]
      const asked = { queue_id: id, format }
      const { body } = mustExist(await services.longReads.labelExport(viewer, asked, clientLeft), 'review queue')
      return reply
        .header('content-type', contentType)
        .header('content-disposition', attachment(`labels-${id}`, ending))
        .send(typeof body === 'string' ? body : Buffer.from(body))
    },
  )
