import { z } from 'zod'
import { MAX_PEOPLE } from '../../../commands/review/people.ts'
import { REVIEW_ROLES } from '../../../domain/review/final.ts'
import { IDENTITY_BYTES } from '../../../domain/run/readers.ts'
import { ReviewQueue } from '../../../queries/reviews/queues.ts'
import { ErrorBody } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { readQueue, readQueueSet } from './queue.ts'

const Name = z.string().min(1).max(IDENTITY_BYTES)
const Body = z.strictObject({
  add: z
    .array(
      z.strictObject({
        name: Name.meta({ description: 'The name or the id of an account.' }),
        role: z.enum(REVIEW_ROLES),
      }),
    )
    .max(MAX_PEOPLE)
    .default([]),
  remove: z.array(Name).max(MAX_PEOPLE).default([]),
})

export const changeReviewersRoute: Route = (app, services) =>
  app.post(
    '/review-queues/:id/people',
    {
      config: { scope: 'write', body: 'fields' },
      schema: {
        tags: ['reviews'],
        operationId: 'changeReviewers',
        summary: 'Add people to an open review queue, and remove others; their labels stay',
        params: IdPath,
        body: Body,
        response: { 200: ReviewQueue, 404: ErrorBody, 409: ErrorBody, 422: ErrorBody },
      },
    },
    async ({ viewer, params: { id }, body }) => {
      await services.commit.changeReviewers(viewer, {
        queue_id: id,
        set: await readQueueSet(services, viewer, id),
        ...body,
      })
      return readQueue(services, viewer, id)
    },
  )
