import { z } from 'zod'
import { RUBRIC_CHANGES } from '../../../domain/review/rubric.ts'
import { RubricDetail } from '../../../queries/reviews/rubrics.ts'
import { ErrorBody } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { checkedRubric, MAX_BODY_BYTES, readRubric, readRubricSet, rubricFields } from './rubric.ts'

const NewVersion = z
  .strictObject({
    change: z.enum(RUBRIC_CHANGES).meta({
      description: '`wording`: earlier labels still count. `meaning`: they do not count for the new version.',
    }),
    ...rubricFields,
  })
  .superRefine(checkedRubric)

export const changeRubricRoute: Route = (app, { reader, commit }) =>
  app.post(
    '/rubrics/:id/versions',
    {
      config: { scope: 'write', body: 'fields', bodyBytes: MAX_BODY_BYTES },
      schema: {
        tags: ['reviews'],
        operationId: 'changeRubric',
        summary: 'Add a version of a rubric; the earlier ones stay as they are',
        params: IdPath,
        body: NewVersion,
        response: { 201: RubricDetail, 404: ErrorBody, 409: ErrorBody, 413: ErrorBody, 422: ErrorBody },
      },
    },
    async ({ viewer, params: { id }, body }, reply) => {
      const set = await readRubricSet(reader, viewer, id)
      const version = await commit.changeRubric(viewer, { rubric_id: id, set, ...body })
      return reply.code(201).send(await readRubric(reader, viewer, id, version))
    },
  )
