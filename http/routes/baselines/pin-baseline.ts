import { z } from 'zod'
import { ErrorBody } from '../../errors.ts'
import { nameParameter, SuitePath } from '../../requests/shared-parameters.ts'
import type { Route } from '../route.ts'

const Body = z.strictObject({ run_id: nameParameter })

export const pinBaselineRoute: Route = (app, { commit }) =>
  app.put(
    '/projects/:project/suites/:suite/baseline',
    {
      config: { scope: 'write', body: 'fields' },
      schema: {
        tags: ['baselines'],
        operationId: 'pinBaseline',
        summary: 'Pin the run with which later runs of a suite are compared',
        params: SuitePath,
        body: Body,
        response: { 200: SuitePath.extend(Body.shape), 404: ErrorBody, 422: ErrorBody },
      },
    },
    async ({ params, body, viewer }) => {
      await commit.pinBaseline(viewer, { ...params, ...body })
      return { ...params, ...body }
    },
  )
