import { z } from 'zod'
import { MAX_LEASED } from '../../../commands/review/lease-items.ts'
import { reviewerOf } from '../../../commands/review/refuse-item.ts'
import { findMyQueue, listLeased, listLeftItems, MyItems } from '../../../queries/reviews/my-items.ts'
import { ErrorBody, LONG_READ, mustExist } from '../../errors.ts'
import type { Route } from '../route.ts'
import { readItems } from './queue.ts'

const Body = z.strictObject({
  queue_id: z.string(),
  count: z.number().int().min(1).max(MAX_LEASED).default(1),
})

export const takeReviewItemsRoute: Route = (app, { reader, commit, longReads, now }) =>
  app.post(
    '/review/next',
    {
      config: { scope: 'review', body: 'fields' },
      schema: {
        tags: ['reviews'],
        operationId: 'takeReviewItems',
        summary: 'The next items to label, kept for you for 15 minutes; none if nothing is left for you',
        body: Body,
        response: { 200: MyItems, 404: ErrorBody, 422: ErrorBody, ...LONG_READ },
      },
    },
    async ({ viewer, body: { queue_id, count }, clientLeft }) => {
      const user_id = reviewerOf(viewer)
      const { seed, role } = mustExist(await reader.read(findMyQueue(user_id, queue_id)), 'review queue')
      const at = now()
      const left = await listLeftItems(reader, user_id, queue_id, { seed, at })
      let ns = left.slice(0, count)
      if (role === 'reviewer' && ns.length > 0) {
        await commit.leaseItems(viewer, { queue_id, ns, at })
        const held = new Set((await reader.read(listLeased(user_id, queue_id, at))).map(({ n }) => n))
        // Another reviewer may have taken an item in between.
        ns = ns.filter((n) => held.has(n))
      }
      return readItems(longReads, viewer, { queue_id, ns }, clientLeft)
    },
  )
