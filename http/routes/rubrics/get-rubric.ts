import { z } from 'zod'
import { RubricDetail } from '../../../queries/reviews/rubrics.ts'
import { ErrorBody } from '../../errors.ts'
import { IdPath, whole } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'
import { readRubric } from './rubric.ts'

export const getRubricRoute: Route = (app, { reader }) =>
  app.get(
    '/rubrics/:id',
    {
      config: { scope: 'read' },
      schema: {
        tags: ['reviews'],
        operationId: 'getRubric',
        summary: 'A version of a rubric',
        params: IdPath,
        querystring: z.strictObject({
          version: whole({ minimum: 1 }).meta({ description: 'The version, counted from 1; the newest without it.' }),
        }),
        response: { 200: RubricDetail, 404: ErrorBody },
      },
    },
    async ({ viewer, params: { id }, query: { version } }) => readRubric(reader, viewer, id, version ?? null),
  )
