import { z } from 'zod'
import { LABEL_LIMITS } from '../../../domain/review/final.ts'
import { ErrorBody } from '../../errors.ts'
import type { Route } from '../route.ts'
import { ItemPath } from './get-review-item.ts'
import { itemOf, labelThrottle, MAX_LABEL_BYTES } from './queue.ts'

const LabelId = z
  .string()
  .regex(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/, 'must be a ULID')
  .meta({ description: 'A ULID that the client draws. The same label sent again is recorded once.' })

/** What reviewers and adjudicators send. */
export const labelFields = {
  label_id: LabelId,
  answers: z.record(z.string(), z.unknown()).meta({
    description:
      'By the key of the question: `pass` or `fail`, a number, an option, a list of options, a text, or marks. Null is "cannot tell".',
  }),
  seconds: z.number().min(0).max(LABEL_LIMITS.seconds).meta({ description: 'How long the case was looked at.' }),
  recognised: z.boolean().default(false).meta({ description: 'The output named its model.' }),
}

export const Recorded = z.object({ label_id: z.string() }).meta({ id: 'RecordedLabel' })

export const labelItemRoute: Route = (app, { commit, config, now }) => {
  const throttle = labelThrottle(now)
  app.post(
    '/review/items/:item/labels',
    {
      config: { scope: 'review', body: 'fields', bodyBytes: MAX_LABEL_BYTES },
      schema: {
        tags: ['reviews'],
        operationId: 'labelItem',
        summary: 'Label an item',
        params: ItemPath,
        body: z.strictObject({
          ...labelFields,
          revises: LabelId.nullish().meta({ description: 'Your own label that this one replaces.' }),
        }),
        response: {
          200: Recorded.meta({ description: 'The same label was recorded before' }),
          201: Recorded,
          404: ErrorBody,
          409: ErrorBody,
          413: ErrorBody,
          422: ErrorBody,
          429: ErrorBody,
        },
      },
    },
    async ({ viewer, params: { item }, body: { revises = null, ...fields } }, reply) => {
      const place = itemOf(viewer, item)
      throttle(viewer.actor.user_id ?? '')
      const isNew = await commit.labelItem(viewer, {
        ...place,
        ...fields,
        revises,
        isClosed: config.authMode === 'closed',
      })
      return reply.code(isNew ? 201 : 200).send({ label_id: fields.label_id })
    },
  )
}
