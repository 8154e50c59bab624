import { z } from 'zod'
import { ErrorBody } from '../../errors.ts'
import type { Route } from '../route.ts'
import { ItemPath } from './get-review-item.ts'
import { labelFields, Recorded } from './label-item.ts'
import { itemOf, MAX_LABEL_BYTES } from './queue.ts'

export const adjudicateItemRoute: Route = (app, { commit, config }) =>
  app.post(
    '/review/items/:item/adjudicate',
    {
      config: { scope: 'review', body: 'fields', bodyBytes: MAX_LABEL_BYTES },
      schema: {
        tags: ['reviews'],
        operationId: 'adjudicateItem',
        summary: 'Decide an item whose labels differ',
        params: ItemPath,
        body: z.strictObject(labelFields),
        response: {
          200: Recorded.meta({ description: 'The same decision was recorded before' }),
          201: Recorded,
          404: ErrorBody,
          409: ErrorBody,
          413: ErrorBody,
          422: ErrorBody,
        },
      },
    },
    async ({ viewer, params: { item }, body }, reply) => {
      const place = itemOf(viewer, item)
      const isNew = await commit.adjudicateItem(viewer, { ...place, ...body, isClosed: config.authMode === 'closed' })
      return reply.code(isNew ? 201 : 200).send({ label_id: body.label_id })
    },
  )
