import { z } from 'zod'
import { MAX_METRIC, metricProblem } from '../../../domain/review/judge-id.ts'
import { ErrorBody } from '../../errors.ts'
import { checkedText } from '../../requests/checked-text.ts'
import { SuitePath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

const Declared = z
  .strictObject({
    metric: checkedText(metricProblem, MAX_METRIC),
    is_judge: z.boolean().meta({ description: 'False ends it' }),
  })
  .meta({ id: 'DeclaredJudge' })

export const changeDeclaredJudgeRoute: Route = (app, { commit }) =>
  app.post(
    '/projects/:project/suites/:suite/judges/declare',
    {
      config: { scope: 'write', body: 'fields' },
      schema: {
        tags: ['sets'],
        operationId: 'changeDeclaredJudge',
        summary: 'Say that the programs and embeddings of a metric are a judge, or no judge any more',
        params: SuitePath,
        body: Declared,
        response: { 200: Declared, 404: ErrorBody, 409: ErrorBody, 422: ErrorBody },
      },
    },
    async ({ viewer, params: { project, suite }, body: { metric, is_judge } }) => {
      await commit.declareJudge(viewer, { project, suite, metric, is_judge })
      return { metric, is_judge }
    },
  )
