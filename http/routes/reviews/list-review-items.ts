import { z } from 'zod'
import { Refused } from '../../../commands/refused.ts'
import { ITEM_STATES } from '../../../domain/review/final.ts'
import {
  DIFFERENCES,
  FINALS,
  listReviewItems,
  ReviewItemList,
  STATES_HIDDEN,
  VERDICTS,
} from '../../../queries/reviews/queue-items.ts'
import { ErrorBody } from '../../errors.ts'
import { IdPath, paged } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { readQueue } from './queue.ts'

export const listReviewItemsRoute: Route = (app, services) =>
  app.get(
    '/review-queues/:id/items',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['reviews'],
        operationId: 'listReviewItems',
        summary: 'The cases of a review queue; with their labels once it is closed',
        params: IdPath,
        querystring: z.strictObject({
          state: z.enum(ITEM_STATES).optional().meta({ description: 'Only items in this state.' }),
          verdict: z.enum(VERDICTS).optional().meta({ description: 'Only items with this verdict of the judge.' }),
          final: z
            .enum(FINALS)
            .optional()
            .meta({ description: 'Only items that people decided so. Of a closed queue.' }),
          differs: z.enum(DIFFERENCES).optional().meta({
            description: 'Only items where `people` differ, or where they and the `judge` do. Of a closed queue.',
          }),
          ...paged(50, 200),
        }),
        response: { 200: ReviewItemList, 404: ErrorBody },
      },
    },
    async ({ viewer, params: { id }, query: { limit, cursor, ...filters } }) => {
      const queue = await readQueue(services, viewer, id)
      const found = await listReviewItems(services.reader, queue, filters, { limit, cursor })
      if (found === null) throw new Refused('forbidden', STATES_HIDDEN)
      return found
    },
  )
