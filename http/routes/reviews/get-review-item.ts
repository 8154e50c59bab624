import { z } from 'zod'
import { MyItem } from '../../../queries/reviews/my-items.ts'
import { ErrorBody, LONG_READ, mustExist } from '../../errors.ts'
import { nameParameter } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { itemOf, readItems } from './queue.ts'

/** The path of an item. */
export const ItemPath = z.object({
  item: nameParameter.meta({ description: 'Id of the item: the id of its queue, a point and its number.' }),
})

export const getReviewItemRoute: Route = (app, { longReads }) =>
  app.get(
    '/review/items/:item',
    {
      config: { scope: 'review' },
      schema: {
        tags: ['reviews'],
        operationId: 'getReviewItem',
        summary: 'An item of a queue in which you are listed, with your own labels',
        params: ItemPath,
        response: { 200: MyItem, 404: ErrorBody, ...LONG_READ },
      },
    },
    async ({ viewer, params: { item }, clientLeft }) => {
      const { queue_id, n } = itemOf(viewer, item)
      const { items } = await readItems(longReads, viewer, { queue_id, ns: [n] }, clientLeft)
      return mustExist(items[0], 'review item')
    },
  )
