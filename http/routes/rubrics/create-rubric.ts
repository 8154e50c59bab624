import { z } from 'zod'
import { RubricDetail } from '../../../queries/reviews/rubrics.ts'
import { ErrorBody } from '../../errors.ts'
import { newIds } from '../../identity/ids.ts'
import { newName } from '../../requests/new-name.ts'
import type { Route } from '../route.ts'
import { checkedRubric, MAX_BODY_BYTES, readRubric, rubricFields } from './rubric.ts'

const NewRubric = z.strictObject({ project: newName, suite: newName, ...rubricFields }).superRefine(checkedRubric)

export const createRubricRoute: Route = (app, { reader, commit }) => {
  const mint = newIds()
  app.post(
    '/rubrics',
    {
      config: { scope: 'write', body: 'fields', bodyBytes: MAX_BODY_BYTES },
      schema: {
        tags: ['reviews'],
        operationId: 'createRubric',
        summary: 'Write a rubric: what people decide by when they label cases of a suite',
        body: NewRubric,
        response: { 201: RubricDetail, 413: ErrorBody, 422: ErrorBody },
      },
    },
    async ({ viewer, body }, reply) => {
      const rubric_id = mint()
      await commit.createRubric(viewer, { rubric_id, ...body })
      return reply.code(201).send(await readRubric(reader, viewer, rubric_id, 1))
    },
  )
}
