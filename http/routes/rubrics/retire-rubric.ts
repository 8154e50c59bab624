import { RubricDetail } from '../../../queries/reviews/rubrics.ts'
import { ErrorBody } from '../../errors.ts'
import { IdPath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { readRubric, readRubricSet } from './rubric.ts'

export const retireRubricRoute: Route = (app, { reader, commit }) =>
  app.post(
    '/rubrics/:id/retire',
    {
      config: { scope: 'write' },
      schema: {
        tags: ['reviews'],
        operationId: 'retireRubric',
        summary: 'Retire a rubric: no new queue uses it',
        params: IdPath,
        response: { 200: RubricDetail, 404: ErrorBody },
      },
    },
    async ({ viewer, params: { id } }) => {
      await commit.retireRubric(viewer, { rubric_id: id, set: await readRubricSet(reader, viewer, id) })
      return readRubric(reader, viewer, id)
    },
  )
